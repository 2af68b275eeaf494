"""Writes q, k, v and out of every attention of an ONNX graph into one file.

Returns what the graph returns; its attentions are layers 0, 1, 2 … in their order:

    capture("model.onnx", {"input": numbers}, "capture.safetensors")

Then: attn-tui doctor capture.safetensors
"""

import onnx
import onnxruntime
from numpy import ascontiguousarray
from safetensors.numpy import save_file


def capture(file, inputs, path):
    """Run a graph whose tensors around each Softmax are outputs too."""
    model, layers, tensors = onnx.load(file), [], {}
    nodes, own = model.graph.node, [each.name for each in model.graph.output]
    factors = {each.output[0]: each.input for each in nodes if each.op_type in ("Mul", "Div")}
    for softmax in [node for node in nodes if node.op_type == "Softmax"]:
        above = nearest(softmax.input, nodes[::-1], "output", "input")
        below = nearest(softmax.output, nodes, "input", "output")
        if above and below:
            layers.append((*above.input, below.input[1], below.output[0]))
    if not layers:
        raise RuntimeError("the graph has no Softmax between two MatMuls")
    used = [each for layer in layers for name in layer for each in (name, *factors.get(name, ()))]
    names = [*dict.fromkeys([*own, *used])]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names[len(own) :])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    found = dict(zip(names, session.run(names, inputs), strict=True))
    for layer, (q, k, v, out) in enumerate(layers):
        for part, name in {"q": q, "k": k, "v": v, "out": out}.items():
            if part in "qk" and name in factors and found[factors[name][1]].size == 1:
                name = factors[name][0]  # before it was multiplied by one number, such as the scale
            tensor = found[name].swapaxes(-1, -2) if part == "k" else found[name]  # it has Kᵀ
            tensors[f"{layer}.{part}"] = ascontiguousarray(tensor[(None,) * (4 - tensor.ndim)])
    save_file(tensors, path)
    return [found[name] for name in own]


def nearest(names, nodes, ends, starts):
    """Return the first MatMul that tensors lead to, through nodes in their order."""
    for node in nodes:
        if {*names} & {*getattr(node, ends)}:
            if node.op_type == "MatMul":
                return node
            names = [*names, *getattr(node, starts)]
    return None
