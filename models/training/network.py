"""The x2 upscaler: its training form, its plain form, and the ONNX file in between.

Both forms compute the same function: RGB in 0..1, [N, 3, H, W] -> [N, 3, 2H, 2W]. A head, `depth` body layers and a tail,
all 3x3 convolutions with zero padding, a PReLU with one slope per channel after each but the tail, and the pixel shuffle
(arXiv:1609.05158). The network adds to the nearest-neighbour enlargement.

In training each convolution is the sum of several linear branches; their weights are added before the convolution runs, so
that the branches cost next to nothing, and once more for good on export (structural re-parameterisation, RepVGG
arXiv:2101.03697; the expanded branch is the collapsible block of SESR, arXiv:2103.09404).
"""

import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

SCALE = 2
EXPANSION = 32


def centred_identity(channels):
    """The 3x3 kernel that returns its input: [C, C, 3, 3]."""
    kernel = torch.zeros(channels, channels, 3, 3)
    kernel[:, :, 1, 1] = torch.eye(channels)
    return kernel


class BranchedConv(nn.Module):
    """A 3x3 convolution as the sum of a 3x3, a 1x1, an expand-and-project branch and, where the widths agree, the identity."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.inputs = inputs
        self.square = nn.Parameter(0.5 * nn.init.kaiming_normal_(torch.empty(outputs, inputs, 3, 3), a=0.5))
        self.point = nn.Parameter(0.3 * nn.init.kaiming_normal_(torch.empty(outputs, inputs, 1, 1), a=0.5))
        self.expand = nn.Parameter(nn.init.kaiming_normal_(torch.empty(EXPANSION, inputs * 9), a=0.5))
        # Zero at first: the branch joins in as soon as the first gradients arrive.
        self.project = nn.Parameter(torch.zeros(outputs, EXPANSION))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("identity", centred_identity(outputs) if inputs == outputs else None, persistent=False)

    def folded_weight(self):
        """The one kernel [O, I, 3, 3] that equals the sum of the branches."""
        weight = self.square + F.pad(self.point, (1, 1, 1, 1))
        weight = weight + (self.project @ self.expand).view(-1, self.inputs, 3, 3)
        return weight if self.identity is None else weight + self.identity

    def load_folded(self, weight, bias):
        """Takes over a plain convolution exactly: all in the 3x3 branch, less the identity, the others at zero."""
        with torch.no_grad():
            self.square.copy_(weight if self.identity is None else weight - self.identity)
            self.point.zero_()
            self.project.zero_()
            self.bias.copy_(bias)

    def forward(self, x):
        return F.conv2d(x, self.folded_weight(), self.bias, padding=1)

    def unfolded(self, x):
        """The same as forward, each branch run by itself: slow, the yardstick of the folding."""
        y = F.conv2d(x, self.square, self.bias, padding=1) + F.conv2d(x, self.point)
        y = y + F.conv2d(F.conv2d(x, self.expand.view(-1, self.inputs, 3, 3), padding=1), self.project[:, :, None, None])
        return y if self.identity is None else y + x


class Upscaler(nn.Module):
    """The training form."""

    def __init__(self, channels, depth):
        super().__init__()
        widths = [3] + [channels] * (depth + 1) + [3 * SCALE * SCALE]
        self.convs = nn.ModuleList(BranchedConv(i, o) for i, o in zip(widths, widths[1:]))
        self.activations = nn.ModuleList(nn.PReLU(channels, 0.1) for _ in range(depth + 1))

    def forward(self, x, folded=True):
        y = x
        for conv, activation in zip(self.convs, self.activations):
            y = activation(conv(y) if folded else conv.unfolded(y))
        y = self.convs[-1](y) if folded else self.convs[-1].unfolded(y)
        return F.pixel_shuffle(y + x.repeat_interleave(SCALE * SCALE, 1), SCALE)


class PlainUpscaler(nn.Module):
    """The form that is shipped: plain convolutions, the residual as one fixed 1x1 convolution."""

    def __init__(self, weights, biases, slopes):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(w.shape[1], w.shape[0], 3, padding=1) for w in weights)
        self.activations = nn.ModuleList(nn.PReLU(len(s)) for s in slopes)
        self.nearest = nn.Conv2d(3, 3 * SCALE * SCALE, 1, bias=False)
        with torch.no_grad():
            for conv, weight, bias in zip(self.convs, weights, biases):
                conv.weight.copy_(weight)
                conv.bias.copy_(bias)
            for activation, slope in zip(self.activations, slopes):
                activation.weight.copy_(slope)
            self.nearest.weight.copy_(torch.eye(3).repeat_interleave(SCALE * SCALE, 0)[:, :, None, None])

    def forward(self, x):
        y = x
        for conv, activation in zip(self.convs, self.activations):
            y = activation(conv(y))
        return F.pixel_shuffle(self.convs[-1](y) + self.nearest(x), SCALE)


def fold(network):
    """The plain form of a trained network."""
    return PlainUpscaler(
        [conv.folded_weight().detach() for conv in network.convs],
        [conv.bias.detach() for conv in network.convs],
        [activation.weight.detach() for activation in network.activations],
    ).eval()


def read_onnx(path):
    """The plain form from a file that export.py wrote: 3x3 convolutions and PReLU slopes in the order of the graph."""
    graph = onnx.load(path).graph
    tensors = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    convs = [[tensors[name] for name in node.input[1:]] for node in graph.node if node.op_type == "Conv"]
    convs = [conv for conv in convs if conv[0].shape[-1] == 3]
    slopes = [tensors[node.input[1]].flatten() for node in graph.node if node.op_type == "PRelu"]
    if len(convs) != len(slopes) + 1 or convs[-1][0].shape[0] != 3 * SCALE * SCALE:
        raise ValueError(f"{path} is no x{SCALE} upscaler of plain convolutions")
    return PlainUpscaler([conv[0] for conv in convs], [conv[1] for conv in convs], slopes).eval()


def write_onnx(plain, path):
    """Writes the plain form: input `rgb` float32 [1, 3, H, W] in 0..1, output `rgb2x` [1, 3, 2H, 2W], H and W free."""
    torch.onnx.export(
        plain,
        torch.rand(1, 3, 24, 32),
        path,
        opset_version=13,
        input_names=["rgb"],
        output_names=["rgb2x"],
        dynamic_axes={"rgb": {2: "height", 3: "width"}, "rgb2x": {2: "height2", 3: "width2"}},
    )


def deepen(plain, depth):
    """A plain network of `depth` body layers that computes what the shallower one computes.

    Each new layer is an identity behind an existing PReLU, whose slope s is shared out: sqrt(s) before and after, so that the
    new layer is non-linear from its first step. A slope below zero leaves nothing negative behind it, and stays in one place.
    """
    weights = [conv.weight.detach() for conv in plain.convs]
    biases = [conv.bias.detach() for conv in plain.convs]
    slopes = [activation.weight.detach() for activation in plain.activations]
    while len(slopes) < depth + 1:
        at = len(slopes) // 2
        slope = slopes[at]
        root = slope.abs().sqrt()
        slopes[at : at + 1] = [torch.where(slope < 0, slope, root), root]
        weights.insert(at + 1, centred_identity(len(slope)))
        biases.insert(at + 1, torch.zeros(len(slope)))
    return PlainUpscaler(weights, biases, slopes).eval()


def unfold(plain):
    """The training form of a plain network, to train it further."""
    network = Upscaler(plain.convs[0].out_channels, len(plain.activations) - 1)
    for branched, conv in zip(network.convs, plain.convs):
        branched.load_folded(conv.weight.detach(), conv.bias.detach())
    for activation, trained in zip(network.activations, plain.activations):
        activation.load_state_dict(trained.state_dict())
    return network
