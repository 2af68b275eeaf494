"""Writes q, k, v and out of every attention of an ONNX graph into one file.

Returns what the graph returns; its attentions are layers 0, 1, 2 … in their order:

    capture("model.onnx", {"input": numbers}, "capture.safetensors")

Then: attn-tui doctor capture.safetensors
"""

import onnx
import onnxruntime
from numpy import ascontiguousarray, prod
from safetensors.numpy import save_file


def capture(file, inputs, path):
    """Run a graph whose tensors around each Softmax are outputs too."""
    model = onnx.shape_inference.infer_shapes(onnx.load(file))
    graph, own = model.graph, [each.name for each in model.graph.output]
    sources = find(graph)
    if not sources:
        raise RuntimeError("the graph has no Softmax between two MatMuls")
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in {*sources.values()} - {*own})
    session = onnxruntime.InferenceSession(model.SerializeToString())
    names = [each.name for each in session.get_outputs()]
    found = dict(zip(names, session.run(names, inputs), strict=True))
    tensors = {name: found[source] for name, source in sources.items()}
    for name, tensor in tensors.items():
        tensor = tensor.swapaxes(-1, -2) if name.endswith(".k") else tensor  # the graph has Kᵀ
        tensors[name] = ascontiguousarray(tensor[(None,) * (4 - tensor.ndim)])
    save_file(tensors, path)
    return [found[name] for name in own]


def find(graph):
    """Return which tensors of a graph are q, Kᵀ, v and out of its attentions."""
    makers = {name: node for node in graph.node for name in node.output}
    takers = {name: [] for node in graph.node for name in node.input}
    for node in graph.node:
        for name in node.input:
            takers[name].append(node)
    sizes = {each.name: prod(each.dims) for each in graph.initializer}
    for each in graph.value_info:
        sizes[each.name] = prod([axis.dim_value for axis in each.type.tensor_type.shape.dim])

    def nearest(name, nodes_at, names_of):
        """Return the first MatMul that a tensor leads to."""
        names = [name]
        for name in names:  # which grow meanwhile
            for node in nodes_at(name):
                if node.op_type == "MatMul":
                    return node
                names += [each for each in names_of(node) if each not in names]
        return None

    def unscaled(name):
        """Return the tensor before it is multiplied by one number, such as the scale."""
        node = makers.get(name)
        is_scaled = node and node.op_type in ("Mul", "Div") and sizes.get(node.input[1]) == 1
        return unscaled(node.input[0]) if is_scaled else name

    found = {}
    for softmax in (node for node in graph.node if node.op_type == "Softmax"):
        above = nearest(softmax.input[0], lambda name: [makers[name]] if name in makers else [],
                        lambda node: node.input)  # fmt: skip
        below = nearest(softmax.output[0], lambda name: takers.get(name, []),
                        lambda node: node.output)  # fmt: skip
        if above and below:
            layer = len(found) // 4
            found[f"{layer}.q"], found[f"{layer}.k"] = map(unscaled, above.input)
            found[f"{layer}.v"], found[f"{layer}.out"] = below.input[1], below.output[0]
    return found
