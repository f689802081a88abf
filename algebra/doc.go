// Package algebra is the CuTe layout algebra: integer tuples, layouts and swizzles as immutable values, CuTe's notation
// in and out, and the operations that cut, order and place layouts.
package algebra
