"""Types outside Python's package, and the plugins that save and load them: what a user may have."""

import collections
import dataclasses
import enum
import fractions

import numpy as np
from safestructures import DataProcessor, TensorProcessor
from safestructures.processors.base import ListBaseProcessor
from safestructures.processors.basic import NumberProcessor
from safestructures.processors.iterable import DictProcessor


@dataclasses.dataclass(frozen=True)
class Quaternion:
    w: float
    x: float
    y: float
    z: float


class QuaternionProcessor(DataProcessor):
    """A plain value with fields of its own beside it, raw JSON numbers among them."""

    data_type = Quaternion

    def serialize(self, data):
        return [str(part) for part in dataclasses.astuple(data)]

    def serialize_extra(self, data):
        numbers = [1, -2, 2.5, 1e-07, 1e16, -0.0, 12345678901234567890123, 1.7976931348623157e308]
        return {
            "order": "wxyz",
            "unit": None,
            "normed": True,
            "numbers": numbers,
            "nested": {"": {}},
        }

    def deserialize(self, serialized, **kwargs):
        return Quaternion(*(float(part) for part in serialized))


class MaskedArray:
    """Two arrays and a fill value."""

    def __init__(self, data, mask, fill):
        self.data, self.mask, self.fill = data, mask, fill


class MaskedArrayProcessor(DataProcessor):
    """A value that hands its parts, tensors included, back to the serializer."""

    data_type = MaskedArray

    def serialize(self, data):
        return {"data": self.serializer.serialize(data.data), "fill": data.fill}

    def serialize_extra(self, data):
        return {"mask": self.serializer.serialize(data.mask)}

    def deserialize(self, serialized, **kwargs):
        data, mask = serialized["data"], kwargs["mask"]
        return MaskedArray(
            self.serializer.deserialize(data), self.serializer.deserialize(mask), serialized["fill"]
        )


class DequeProcessor(ListBaseProcessor):
    data_type = collections.deque


class OrderedDictProcessor(DictProcessor):
    data_type = collections.OrderedDict

    def deserialize(self, serialized, **kwargs):
        return collections.OrderedDict(super().deserialize(serialized, **kwargs))


class Volume:
    """An array with a unit: a tensor type of one's own."""

    def __init__(self, voxels):
        self.voxels = voxels


class VolumeProcessor(TensorProcessor):
    data_type = Volume

    def to_numpy(self, tensor):
        return np.ascontiguousarray(tensor.voxels)

    def deserialize(self, tensor_id, **kwargs):
        return Volume(super().deserialize(tensor_id, **kwargs))


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class ColorProcessor(DataProcessor):
    data_type = Color

    def serialize(self, data):
        return data.name

    def deserialize(self, serialized, **kwargs):
        return Color[serialized]


class Float32Processor(NumberProcessor):
    data_type = np.float32


class FractionProcessor(DataProcessor):
    data_type = fractions.Fraction

    def serialize(self, data):
        return str(data)

    def deserialize(self, serialized, **kwargs):
        return fractions.Fraction(serialized)


@dataclasses.dataclass
class ModelOutput(collections.OrderedDict):
    """A dataclass that is an OrderedDict of its set fields too, as transformers' outputs are."""

    last_hidden_state: np.ndarray = None
    past_key_values: tuple = None
    hidden_states: tuple = None

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value


class ModelOutputProcessor(DataProcessor):
    data_type = ModelOutput

    def serialize(self, data):
        fields = [field.name for field in dataclasses.fields(data)]
        return {name: self.serializer.serialize(getattr(data, name)) for name in fields}

    def deserialize(self, serialized, **kwargs):
        return ModelOutput(**{k: self.serializer.deserialize(v) for k, v in serialized.items()})


PLUGINS = [
    QuaternionProcessor,
    MaskedArrayProcessor,
    DequeProcessor,
    OrderedDictProcessor,
    VolumeProcessor,
    ColorProcessor,
    Float32Processor,
    FractionProcessor,
    ModelOutputProcessor,
]
