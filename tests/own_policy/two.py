from ontime.lab import Plan, Policy


class First(Policy):
    def plan(self, view):
        return Plan()


class Second(Policy):
    order = "deadline"

    def __init__(self, whole: int = 1, part: float = 1, is_so: bool = False, word: str = "", plain=1.5):
        given = [type(thing).__name__ for thing in (whole, part, is_so, word, plain)]
        assert given == ["int", "float", "bool", "str", "float"], given
        assert part == 0.25 and is_so

    def plan(self, view):
        return Plan()
