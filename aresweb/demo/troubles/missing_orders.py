"""An API leaves out its last page. This one speaks Chinese."""

from collections.abc import Iterator
from contextlib import contextmanager

from aresweb.demo.agent import Turn
from aresweb.demo.model import Story, call, finish, give_up, urls_in, use
from aresweb.demo.scratch import Scratch
from aresweb.demo.servers import Request, Response, serving
from aresweb.demo.tools import Database, http_request
from aresweb.demo.troubles.trouble import Trouble, World

PAGE_SIZE = 50
ORDERS = "CREATE TABLE orders AS SELECT n AS id, n * 3 AS amount FROM generate_series(1, 230) AS n"
PAGE = "SELECT id FROM orders ORDER BY id OFFSET %s LIMIT %s"


class OrdersApi:
    """Orders in pages. It rounds the number of pages down, so what does not fill a page is never shown."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def answer(self, request: Request) -> Response:
        """`/orders?page=N`, N from 1."""
        page = int(request.query.get("page", "1"))
        with self._scratch.connect() as connection:
            [total] = connection.execute("SELECT count(*) FROM orders").fetchone() or [0]
            pages = total // PAGE_SIZE
            if not 1 <= page <= pages:
                return Response(404, {"error": f"page {page} of {pages}"})
            rows = connection.execute(PAGE, [(page - 1) * PAGE_SIZE, PAGE_SIZE])
            return Response(200, {"page": page, "pages": pages, "ids": [key for (key,) in rows]})


@contextmanager
def build(scratch: Scratch) -> Iterator[World]:
    """230 orders, and the API that shows 200 of them."""
    scratch.start_anew(ORDERS)
    with serving(OrdersApi(scratch).answer) as url:
        question = f"财务说订单接口 {url}/orders 返回的订单比数据库里的少。请查一下少了哪些，原因是什么？"
        yield World([Turn(question, plan)], [Database(scratch).run_sql, http_request])


def plan(question: str) -> Story:
    """Count both sides, find the difference, and look at where it begins."""
    [url] = urls_in(question)
    [stored, first] = yield use(
        "先看两边各有多少订单：数据库的总数，以及接口的第一页。",
        call(Database.run_sql, sql="SELECT count(*) AS total, min(id) AS first, max(id) AS last FROM orders"),
        call(http_request, method="GET", url=f"{url}?page=1"),
    )
    [counts] = stored["rows"]
    pages, size = first["body"]["pages"], len(first["body"]["ids"])
    others = yield use(
        f"数据库有 {counts['total']} 条；接口每页 {size} 条，共 {pages} 页。取其余各页。",
        *(call(http_request, method="GET", url=f"{url}?page={page}") for page in range(2, pages + 1)),
    )
    shown = {key for page in (first, *others) for key in page["body"]["ids"]}
    missing = sorted(set(range(counts["first"], counts["last"] + 1)) - shown)
    if not missing:
        return give_up("两边的订单一致，没有发现缺失。")
    [beyond] = yield use(
        f"接口只返回了 {len(shown)} 条，缺少 {missing[0]} 到 {missing[-1]}。看它们是否在第 {pages + 1} 页。",
        call(http_request, method="GET", url=f"{url}?page={pages + 1}"),
    )
    if beyond["status"] != 404:
        return give_up(f"缺少 {len(missing)} 条订单，但第 {pages + 1} 页可以访问，原因还不清楚。")
    needed = -(-counts["total"] // size)
    return finish(
        f"接口少了 {len(missing)} 条订单：{missing[0]} 到 {missing[-1]}。数据库有 {counts['total']} 条，"
        f"每页 {size} 条，应有 {needed} 页，而接口只给 {pages} 页：页数向下取整，最后不满一页的订单永远不会返回。"
        "应改为向上取整。"
    )


TROUBLE = Trouble("missing-orders", "订单接口返回的订单比数据库少", "li.wei@example.com", build)
