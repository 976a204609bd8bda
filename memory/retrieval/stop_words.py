"""Words that stand in any text and tell nothing about it: the common core of the usual lists."""

_ENGLISH = """
a about after all also am an and any are as at be because been before being between both but by can could did do does
doing don down during each few for from further had has have having he her here hers herself him himself his how i if in
into is it its itself just ll me more most my myself no nor not now of off on once only or other our ours ourselves out
over own re same she should so some such than that the their theirs them themselves then there these they this those
through to too under until up us ve very was we were what when where which while who whom why will with would you your
yours yourself yourselves
"""
_CHINESE = """
的 了 是 在 我 你 他 她 它 们 我们 你们 他们 和 也 就 都 而 及 与 着 或 吗 呢 吧 啊 呀 嘛 有 这 那 这个 那个
什么 怎么 怎样 哪 哪个 谁 很 会 要 把 被 给 让 对 从 到 说 个 一个 没有 不
"""

STOP_WORDS = frozenset((_ENGLISH + _CHINESE).split())
