"""Sparse products for PyTorch over spblas, by ctypes: forward and backward.

    graph = Graph(crow, col, cols)          structure: int32 or int64 tensors, as in torch CSR
    c = spmm(graph, values, b)              C = A B
    s = sddmm(graph, x, y)                  s[e] = <x[row of e], y[col of e]>
    p = edge_softmax(graph, s)              softmax over the entries of each row

One structure serves any values: each kind of product is analysed once a graph, because a
plan reads the values where they lie. Both gradients of spmm and sddmm are such products of
the same graph (A^T without a copy of A), so a step of training plans nothing anew.

    values, s, p   [entries] or [heads, entries]
    b, x, y, c     [nodes, features] or [heads, nodes, features]

A head is a call with the same plan. (A batch of the library has a column array a member, as
cuSPARSE's, so it would want copies.) float32 or float64, tensors of the CPU. SPBLAS_LIBRARY names the shared library (else the loader looks for it).
"""
import ctypes
import os

import torch

_TYPES = {torch.float32: (0, ctypes.c_float), torch.float64: (1, ctypes.c_double)}
_INDEX = {torch.int32: 2, torch.int64: 3}
_N, _T, _ROW = 0, 1, 2
_p, _i64, _int = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int

_lib = ctypes.CDLL(os.environ.get("SPBLAS_LIBRARY", "libspblas.so"))
_lib.spblasGetLastErrorMessage.restype = ctypes.c_char_p
_PRODUCT = [_p, _int, _int, _p, _p, _p, _p, _p, _int, _int, _p]
for _name, _args in {
        "spblasCreate": [_p],
        "spblasGetLastErrorMessage": [_p],
        "spblasCreateCsr": [_p, _i64, _i64, _i64, _p, _p, _p, _int, _int, _int, _int],
        "spblasSpMatSetValues": [_p, _p],
        "spblasDestroySpMat": [_p],
        "spblasCreateDnMat": [_p, _i64, _i64, _i64, _p, _int, _int],
        "spblasDestroyDnMat": [_p],
        "spblasSpMM_analysis": _PRODUCT, "spblasSpMM": _PRODUCT,
        "spblasSDDMM_analysis": _PRODUCT, "spblasSDDMM": _PRODUCT}.items():
    getattr(_lib, _name).argtypes = _args

_handle = _p()


def _call(name, *args):
    """Calls a function of the library; a status other than 0 is an exception."""
    if getattr(_lib, name)(*args):
        raise RuntimeError(name + ": " + _lib.spblasGetLastErrorMessage(_handle).decode())


_call("spblasCreate", ctypes.byref(_handle))


class Graph:
    """A CSR structure and the plans made for it."""

    def __init__(self, crow, col, cols):
        self._matrices, self._planned, self._row = {}, set(), None
        if crow.dtype not in _INDEX or col.dtype not in _INDEX:
            raise TypeError("crow and col are int32 or int64")
        if len(crow) == 0 or int(crow[0]) != 0 or int(crow[-1]) != len(col):
            raise ValueError("crow begins with 0 and ends with the number of entries")
        self.crow, self.col = crow.contiguous(), col.contiguous()
        self.rows, self.cols = len(crow) - 1, cols

    def __del__(self):
        for matrix in self._matrices.values():
            _lib.spblasDestroySpMat(matrix)

    @property
    def row(self):
        """The row of each entry."""
        if self._row is None:
            self._row = torch.repeat_interleave(torch.arange(self.rows),
                                                (self.crow[1:] - self.crow[:-1]).long())
        return self._row

    def matrix(self, values):
        """The descriptor for values of this type, pointed at them."""
        if values.dtype not in self._matrices:
            made = _p()
            _call("spblasCreateCsr", ctypes.byref(made), self.rows, self.cols, len(self.col),
                  self.crow.data_ptr(), self.col.data_ptr(), values.data_ptr(),
                  _INDEX[self.crow.dtype], _INDEX[self.col.dtype], 0, _TYPES[values.dtype][0])
            self._matrices[values.dtype] = made
        _call("spblasSpMatSetValues", self._matrices[values.dtype], values.data_ptr())
        return self._matrices[values.dtype]

    def product(self, name, op_a, op_b, a, b, c, key):
        """One product; its analysis comes first when it is the first of its kind, of (type,
        features)."""
        kind, scalar = _TYPES[key[0]]
        args = (_handle, op_a, op_b, ctypes.byref(scalar(1)), a, b, ctypes.byref(scalar(0)), c,
                kind, 0, None)
        if (name, op_a, key) not in self._planned:
            _call(name + "_analysis", *args)
            self._planned.add((name, op_a, key))
        _call(name, *args)


class _Dense:
    """A descriptor of [nodes, features] while a product runs."""

    def __init__(self, tensor):
        nodes, features = tensor.shape
        self.made = _p()
        _call("spblasCreateDnMat", ctypes.byref(self.made), nodes, features, features,
              tensor.data_ptr(), _TYPES[tensor.dtype][0], _ROW)

    def __enter__(self):
        return self.made

    def __exit__(self, *_):
        _lib.spblasDestroyDnMat(self.made)


def _heads(*tensors):
    """The tensors head by head; the last is a matrix where there are no heads."""
    whole = [t.contiguous() for t in tensors]
    return zip(*whole) if tensors[-1].dim() == 3 else [whole]


def _spmm(graph, values, b, transpose):
    c = torch.empty(b.shape[:-2] + (graph.cols if transpose else graph.rows, b.shape[-1]),
                    dtype=b.dtype)
    for head, head_c, head_b in _heads(values, c, b) if c.numel() else ():
        with _Dense(head_b) as dense_b, _Dense(head_c) as dense_c:
            graph.product("spblasSpMM", _T if transpose else _N, _N, graph.matrix(head), dense_b,
                          dense_c, (b.dtype, b.shape[-1]))
    return c


def _sddmm(graph, x, y):
    s = torch.empty(x.shape[:-2] + (len(graph.col),), dtype=x.dtype)
    for head, head_x, head_y in _heads(s, x, y) if s.numel() else ():
        with _Dense(head_x) as dense_x, _Dense(head_y) as dense_y:
            graph.product("spblasSDDMM", _N, _T, dense_x, dense_y, graph.matrix(head),
                          (x.dtype, x.shape[-1]))
    return s


def _check(name, tensor, heads, nodes):
    """That a dense operand is what the documentation says."""
    if tensor.device.type != "cpu" or tensor.dtype not in _TYPES:
        raise TypeError(name + " is float32 or float64, on the CPU")
    if tensor.dim() not in (2, 3) or tensor.shape[-2] != nodes:
        raise ValueError(f"{name} is [{nodes}, features] or [heads, {nodes}, features]")
    if tensor.shape[:-2] != heads:
        raise ValueError(name + " has other heads")


class _SpMM(torch.autograd.Function):
    @staticmethod
    def forward(ctx, graph, values, b):
        ctx.graph = graph
        ctx.save_for_backward(values, b)
        return _spmm(graph, values, b, False)

    @staticmethod
    def backward(ctx, grad):
        values, b = ctx.saved_tensors
        return (None, _sddmm(ctx.graph, grad, b) if ctx.needs_input_grad[1] else None,
                _spmm(ctx.graph, values, grad, True) if ctx.needs_input_grad[2] else None)


class _SDDMM(torch.autograd.Function):
    @staticmethod
    def forward(ctx, graph, x, y):
        ctx.graph = graph
        ctx.save_for_backward(x, y)
        return _sddmm(graph, x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (None, _spmm(ctx.graph, grad, y, False) if ctx.needs_input_grad[1] else None,
                _spmm(ctx.graph, grad, x, True) if ctx.needs_input_grad[2] else None)


def spmm(graph, values, b):
    """A B for the matrix of this structure and these values."""
    if values.dim() not in (1, 2) or values.shape[-1] != len(graph.col):
        raise ValueError("values are [entries] or [heads, entries]")
    if values.dtype != b.dtype or values.device.type != "cpu":
        raise TypeError("values are of b's type, on the CPU")
    _check("b", b, values.shape[:-1], graph.cols)
    return _SpMM.apply(graph, values, b)


def sddmm(graph, x, y):
    """x y^T where the structure has entries, in their order."""
    if x.dtype != y.dtype or x.shape[-1] != y.shape[-1]:
        raise TypeError("x and y differ in type or features")
    _check("x", x, y.shape[:-2], graph.rows)
    _check("y", y, x.shape[:-2], graph.cols)
    return _SDDMM.apply(graph, x, y)


def edge_softmax(graph, scores):
    """exp(score) over the sum of its row's; empty rows have no entries to divide."""
    row = graph.row.expand(scores.shape)
    most = torch.full(scores.shape[:-1] + (graph.rows,), -torch.inf, dtype=scores.dtype)
    most = most.scatter_reduce(-1, row, scores.detach(), "amax")
    part = torch.exp(scores - most.gather(-1, row))
    total = torch.zeros_like(most).scatter_add(-1, row, part)
    return part / total.gather(-1, row)
