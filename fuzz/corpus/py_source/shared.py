import ttnn
N = 4
if N > 3:
    N = 8


def twice(g):
    return lambda: g() * 2


@twice
def h(x=[]):
    global N
    N += 1
    return x


def make(p, a):
    x = [ttnn.CBDescriptor(total_size=(i + 1) * 32) for i in range(3) if i != a]
    y = x
    y[0].total_size = -7 // 2 + (a or 7)
    match a:
        case 1:
            y.pop()
    if (n := a + 1) > 3:
        y.append(ttnn.CBDescriptor(total_size=n))
    return ttnn.ProgramDescriptor(cbs=x + [*y])
