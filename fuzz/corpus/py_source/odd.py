def f(a, *b, c=1, **d):
    with a as x:
        try:
            y = [i for i in a]
        except E:
            raise
    return ttnn.CBDescriptor(total_size=x, **d)
