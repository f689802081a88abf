// Package notation writes values of the layout algebra as text of CuTe C++, CuTe DSL, pycute and Triton, so that a layout
// can be carried there.
package notation
