"""The Python side of docs/plugins.md: the twin of Codec<Money> in plugins.cpp."""

import safestructures


class Money:
    def __init__(self, cents):
        self.cents = cents


class MoneyProcessor(safestructures.DataProcessor):
    data_type = Money  # acme.Money, by its module and name

    def serialize(self, money):
        return self.serializer.serialize(money.cents)

    def deserialize(self, node, **kwargs):
        return Money(self.serializer.deserialize(node))
