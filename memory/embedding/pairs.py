"""Pairs of sentences that say the same in other words, to calibrate a model by. Two of different pairs are
unrelated."""

PARAPHRASES = (
    ("The disk of the server is full.", "There is no space left on the server's hard drive."),
    ("I prefer tea in the morning.", "For breakfast I would rather drink tea."),
    ("The build fails because a package is missing.", "A dependency cannot be found, so the build breaks."),
    ("She moved to Lisbon last spring.", "In spring of last year she relocated to Lisbon."),
    ("Restart the worker to clear the queue.", "The queue is emptied once the worker is started again."),
    ("Our meeting was moved to Thursday.", "We are going to meet on Thursday instead."),
    (
        "The customer wants a refund for the cancelled flight.",
        "As the flight was cancelled, the client asks for the money back.",
    ),
    ("He is allergic to peanuts.", "Peanuts cause him an allergic reaction."),
    ("Increase the timeout of the database connection.", "The connection to the database needs a longer time limit."),
    ("The museum opens at nine in the morning.", "Visitors can enter the museum from 9 a.m. on."),
    ("Never store passwords as plain text.", "Passwords must not be saved without hashing them."),
    ("My sister adopted a small dog.", "A little dog was taken in by my sister."),
    ("The certificate of the web site has expired.", "The site's TLS certificate is no longer valid."),
    ("They won the championship after extra time.", "Only in overtime did they take the title."),
    ("Use an index to make the query faster.", "The query speeds up if you add an index."),
    ("The recipe needs two eggs and some flour.", "For this dish you take a bit of flour and two eggs."),
    ("服务器的磁盘已经满了。", "服务器硬盘没有剩余空间了。"),
    ("我早上更喜欢喝茶。", "早餐的时候我宁愿喝茶。"),
    ("缺少依赖包导致构建失败。", "因为找不到依赖，构建报错了。"),
    ("会议改到了星期四。", "我们改在周四开会。"),
    ("他对花生过敏。", "吃花生会让他过敏。"),
    ("博物馆早上九点开门。", "参观者九点起可以进入博物馆。"),
    ("网站的证书过期了。", "这个网站的TLS证书已经失效。"),
    ("客户要求退还取消航班的费用。", "航班取消后，顾客想把钱退回来。"),
)
