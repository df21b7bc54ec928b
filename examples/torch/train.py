"""A graph convolution and graph attention on spblas_torch, compared with torch's own operators.

    SPBLAS_LIBRARY=build/release/libspblas.so python3 examples/torch/train.py [--check] [--nodes N]

Checks every gradient against finite differences, the products against dense ones, and two
small models against the same models written with dense matrices, step by step; then, without
--check, times a step of the convolution against torch.sparse.mm.
"""
import argparse
import statistics
import time

import torch

import spblas_torch as sp


def random_graph(nodes, degree, seed, index=torch.int32):
    """Entries drawn at random, with a loop at most nodes; node 1 has no entry."""
    pick = torch.Generator().manual_seed(seed)
    row = torch.randint(nodes, (nodes * degree,), generator=pick)
    col = torch.randint(nodes, (nodes * degree,), generator=pick)
    row, col = torch.cat([row, torch.arange(nodes)]), torch.cat([col, torch.arange(nodes)])
    key = torch.unique(row * nodes + col)
    key = key[key // nodes != 1]
    row, col = key // nodes, key % nodes
    crow = torch.zeros(nodes + 1, dtype=torch.int64)
    crow[1:] = torch.cumsum(torch.bincount(row, minlength=nodes), 0)
    return sp.Graph(crow.to(index), col.to(index), nodes)


def dense(graph, values):
    """The matrix with zeros."""
    shape = values.shape[:-1] + (graph.rows, graph.cols)
    full = torch.zeros(shape, dtype=values.dtype).flatten(-2)
    return full.index_add(-1, graph.row * graph.cols + graph.col, values).reshape(shape)


def check_gradients():
    for index in (torch.int32, torch.int64):
        graph = random_graph(9, 3, 1, index)
        for heads in ((), (2,)):
            def draw(*shape):
                return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

            values, b = draw(*heads, len(graph.col)), draw(*heads, 9, 4)
            torch.testing.assert_close(sp.spmm(graph, values, b), dense(graph, values) @ b)
            assert torch.autograd.gradcheck(lambda v, b: sp.spmm(graph, v, b), (values, b))
            assert torch.autograd.gradcheck(lambda x, y: sp.sddmm(graph, x, y),
                                            (draw(*heads, 9, 4), draw(*heads, 9, 4)))
            assert torch.autograd.gradcheck(lambda s: sp.edge_softmax(graph, s), (values,))
    print("gradients are right: spmm, sddmm, edge_softmax; one head and two")


def refused(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError("accepted")


def check_arguments():
    graph = random_graph(9, 3, 1)
    values, b = torch.ones(len(graph.col)), torch.ones(9, 4)
    refused(ValueError, lambda: sp.spmm(graph, values[1:], b))
    refused(ValueError, lambda: sp.spmm(graph, values, b[1:]))
    refused(ValueError, lambda: sp.spmm(graph, values, b.reshape(1, 9, 4)))
    refused(TypeError, lambda: sp.spmm(graph, values, b.double()))
    refused(TypeError, lambda: sp.spmm(graph, values.half(), b.half()))
    refused(TypeError, lambda: sp.sddmm(graph, b, b[:, 1:]))
    refused(ValueError, lambda: sp.Graph(graph.crow + 1, graph.col, 9))
    print("wrong arguments are refused")


def convolution(product, features, weights):
    hidden = torch.relu(product(features @ weights[0]))
    return product(hidden @ weights[1])


def attention(graph, features, weights):
    query, key, value = (features @ w for w in weights)
    return sp.spmm(graph, sp.edge_softmax(graph, sp.sddmm(graph, query, key)), value)


def dense_attention(graph, features, weights):
    query, key, value = (features @ w for w in weights)
    scores = query @ key.transpose(1, 2)
    outside = dense(graph, torch.ones(len(graph.col))) == 0
    part = torch.softmax(scores.masked_fill(outside, -torch.inf), -1)
    return torch.nan_to_num(part) @ value


def train(model, weights, target, steps):
    """Losses of so many steps of gradient descent from these weights."""
    weights = [w.clone().requires_grad_() for w in weights]
    losses = []
    for _ in range(steps):
        loss = ((model(weights) - target) ** 2).mean()
        grads = torch.autograd.grad(loss, weights)
        weights = [(w - 0.1 * g).detach().requires_grad_() for w, g in zip(weights, grads)]
        losses.append(loss.item())
    return torch.tensor(losses)


def check_models():
    torch.manual_seed(2)
    graph = random_graph(40, 4, 3)
    values = torch.rand(len(graph.col)) / 4
    full = dense(graph, values)
    features = torch.randn(40, 8)
    for name, ours, theirs, weights, shape in (
            ("convolution", lambda w: convolution(lambda b: sp.spmm(graph, values, b), features, w),
             lambda w: convolution(lambda b: full @ b, features, w),
             [torch.randn(8, 16) / 3, torch.randn(16, 5) / 4], (40, 5)),
            ("attention", lambda w: attention(graph, features, w),
             lambda w: dense_attention(graph, features, w),
             [torch.randn(2, 8, 4) / 3 for _ in range(3)], (2, 40, 4))):
        target = torch.randn(shape)
        losses = train(ours, weights, target, 20), train(theirs, weights, target, 20)
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-5)
        assert losses[0][-1] < losses[0][0]
        print(f"{name}: loss {losses[0][0]:.4f} -> {losses[0][-1]:.4f}, as with dense matrices")


def compare_times(nodes, features):
    graph = random_graph(nodes, 16, 4)
    values = torch.rand(len(graph.col))
    matrix = torch.sparse_csr_tensor(graph.crow, graph.col, values, (nodes, nodes))
    turned = torch.sparse_coo_tensor(torch.stack([graph.col.long(), graph.row]), values,
                                     (nodes, nodes)).coalesce().to_sparse_csr()
    b, grad = torch.rand(nodes, features), torch.rand(nodes, features)
    candidates = {
        "spblas A B": lambda: sp._spmm(graph, values, b, False),
        "torch  A B": lambda: matrix @ b,
        "spblas A^T C": lambda: sp._spmm(graph, values, grad, True),
        "torch  A^T C, A^T copied before": lambda: turned @ grad,
        "spblas sampled C B^T": lambda: sp._sddmm(graph, grad, b),
        "torch  gathered rows": lambda: (grad[graph.row] * b[graph.col.long()]).sum(1),
    }
    seconds = {name: [] for name in candidates}
    for name, call in candidates.items():
        call()
    for _ in range(15):
        for name, call in candidates.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    print(f"{nodes} nodes, {len(graph.col)} entries, {features} features, "
          f"{torch.get_num_threads()} threads, torch {torch.__version__}; medians of 15")
    for name, took in seconds.items():
        print(f"  {name:34} {statistics.median(took) * 1e3:8.3f} ms")


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    args.add_argument("--check", action="store_true", help="no timing")
    args.add_argument("--nodes", type=int, default=20000)
    args.add_argument("--features", type=int, default=64)
    args = args.parse_args()
    check_gradients()
    check_arguments()
    check_models()
    if not args.check:
        compare_times(args.nodes, args.features)


if __name__ == "__main__":
    main()
