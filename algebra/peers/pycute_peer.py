"""pycute's side of the census and of the benchmark of package algebra.

    PYTHONPATH=FOLDER_OF_PYCUTE python3 pycute_peer.py compose <PAIRS    one answer, or "refused", a line
    PYTHONPATH=FOLDER_OF_PYCUTE python3 pycute_peer.py time    <CALLS    microseconds a call, a line

A line of PAIRS is two layouts, a line of CALLS an operation and its arguments, both with tabs between. Layouts are texts
like (4,(2,8)):(2,(1,8)), tuples of layouts are tilers.
"""

import sys
import timeit

import pycute


def read(text):
    """The value of an argument: an integer, a layout, or a tuple of layouts."""
    if text.startswith("(") and text.count(":") > 1:
        return tuple(read(p) for p in text[1:-1].split(","))
    if ":" in text:
        shape, stride = text.split(":")
        return pycute.Layout(eval(shape), eval(stride))
    return eval(text)


CALLS = {
    "composition": pycute.composition,
    "complement": pycute.complement,
    "coalesce": pycute.coalesce,
    "logical_divide": pycute.logical_divide,
    "zipped_divide": pycute.zipped_divide,
    "logical_product": pycute.logical_product,
    "right_inverse": pycute.right_inverse,
}


def compose():
    seen = {}

    def layout(text):
        if text not in seen:
            seen[text] = read(text)
        return seen[text]

    for line in sys.stdin:
        left, right = line.rstrip("\n").split("\t")
        try:
            print(str(pycute.composition(layout(left), layout(right))).replace(" ", ""))
        except AssertionError:
            print("refused")


def time():
    for line in sys.stdin:
        op, *texts = line.rstrip("\n").split("\t")
        call, args = CALLS[op], [read(t) for t in texts]
        timer = timeit.Timer(lambda: call(*args))
        number = 2000
        print(min(timer.repeat(repeat=7, number=number)) / number * 1e6, flush=True)


{"compose": compose, "time": time}[sys.argv[1]]()
