"""The characters that counted.py has noted: total.py FILE."""

import array
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
print(sum(array.array("I", data[: len(data) // 4 * 4])))
