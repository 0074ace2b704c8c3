# TH turns hyphenation on, which breaks commands and names of files at the end of a line.
s/^\.TH .*/&\n.nh/
