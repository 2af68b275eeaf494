"""Arrays of numbers, by the names that annotations use."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Numbers in float64."""

AnyFloats = NDArray[np.floating[Any]]
"""Numbers in the format something is computed in."""

Complexes = NDArray[np.complex128]
