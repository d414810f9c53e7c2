"""Whether two packed directories hold the same arrays, to the byte: check_packed.py A B. Prints their sizes as JSON.

Names, the shape and the order are left out: the bpcells package writes no names, and .h5ad files as they lie in it.
"""

import json
import sys
from pathlib import Path

LEFT_OUT = {"shape", "storage_order", "row_names", "col_names"}


def arrays(folder: str) -> dict[str, Path]:
    return {path.name: path for path in Path(folder).iterdir() if path.name not in LEFT_OUT}


if __name__ == "__main__":
    a, b = (arrays(folder) for folder in sys.argv[1:])
    if a.keys() != b.keys():
        sys.exit(f"not the same arrays: {sorted(a)} and {sorted(b)}")
    for name, path in a.items():
        if path.read_bytes() != b[name].read_bytes():
            sys.exit(f"not the same {name}: {path.stat().st_size} and {b[name].stat().st_size} bytes")
    print(json.dumps({name: path.stat().st_size for name, path in sorted(a.items())}))
