"""Random TrackEvents and what hangs on them; see make_trace.py."""
from wire import Message

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
NAMES = ["alpha", "beta", "gamma", "b.c", "x[0]", ""]
CATEGORIES = ["cat", "net", "disk,io"]


class Events:
    def event(self):
        r, seq = self.r, self.r.choice(self.sequences)
        packet = self.envelope(seq)
        event, self.seq = Message(), seq
        kinds = [BEGIN, BEGIN, END, END, INSTANT] + ([COUNTER, COUNTER] if "counters" in self.on else [])
        kind = r.choice(kinds)
        legacy = kind != COUNTER and (self.has("legacy", 0.4) or self.has("async", 0.4) or self.has("override", 0.3))
        inside = self.legacy() if legacy else b""
        complete = inside[:2] == b"\x10X"
        if not complete and not (legacy and self.some(0.8)) and not self.some(0.02):
            event.number(9, kind)
        if complete:
            event.number(11, 0)
        elif kind == COUNTER:
            self.counter_event(event)
        elif inside[:1] == b"\x10" and inside[1:2] in b"benSTpFiI":
            pass
        elif not self.some(0.3):
            event.number(11, r.choice(self.uuids))
        if kind != END or self.has("namedends", 0.5) or self.some(0.05):
            self.identify(event)
        if legacy:
            event.text(6, inside)
        if self.has("flows", 0.4):
            self.flows(event)
        if self.has("extra", 0.4):
            self.extra(event)
        if self.has("threadtime", 0.5):
            self.thread_times(event)
        if self.has("annotations", 0.6):
            for _ in range(r.randint(1, 3)):
                event.text(4, self.annotation())
        self.attachments(event, kind)
        self.put(packet.text(11, event))

    def identify(self, event):
        r = self.r
        if self.has("intern", 0.6):
            event.number(10, r.choice([1, 2, 3, 4, 9]))
        elif not self.some(0.1):
            event.text(23, r.choice(NAMES))
        for _ in range(r.choice([0, 0, 1, 1, 2])):
            if self.has("intern", 0.5):
                event.number(3, self.iid())
            else:
                event.text(22, r.choice(CATEGORIES))

    def counter_event(self, event):
        r = self.r
        if not self.some(0.1):
            event.number(11, r.choice(self.counters + self.uuids[:1]))
        if self.some(0.5):
            event.number(30, r.choice([0, 5, -3, 2**30, 1000]))
        if self.some(0.5):
            event.double(44, r.choice([0.5, -2.25, 1e300, 0.1]))

    def extra(self, event):
        r = self.r
        count = r.choice([0, 1, 1, 2, 2, 9]) if self.some(0.1) else r.choice([0, 1, 2])
        if self.some(0.6):
            for _ in range(count):
                event.number(31, r.choice(self.counters))
        for _ in range(count):
            event.number(12, r.choice([1, 100, 40, -7]))
        if self.some(0.4):
            if self.some(0.5):
                event.number(45, r.choice(self.counters))
            event.double(46, r.choice([1.5, 2.0]))

    def flows(self, event):
        r = self.r
        ids = [5, 9, 2**63 + 1, 11]
        form = r.randrange(5)
        if form in (0, 3):
            event.fixed(47, r.choice(ids))
        if form == 3 and self.some(0.3):
            event.fixed(47, r.choice(ids))
        if form in (1, 4):
            event.fixed(48, r.choice(ids))
        if form == 2:
            event.number(36, r.choice(ids))
        if form == 4 or self.some(0.1):
            event.number(42, r.choice(ids))

    def thread_times(self, event):
        r = self.r
        if self.some(0.5):
            event.number(2, r.choice([1, 10, -1]))
        elif self.some(0.5):
            event.number(17, r.choice([100, 500, 0]))
        if self.some(0.3):
            event.number(8, r.choice([1, 1000]))
        elif self.some(0.3):
            event.number(20, r.choice([5000, 0]))
        if self.some(0.2):
            event.number(1, r.choice([0, 1, 2, -1]))
        elif self.some(0.1):
            event.number(16, r.choice([self.now // 1000, 0, 3]))

    def legacy(self):
        r, message = self.r, Message()
        phases = "BEXiIRbenSTpFstfMCNODP(" if "async" not in self.on else "benSTpF"
        if "override" in self.on:
            phases += "BEXi"
        phase = r.choice(phases)
        if not self.some(0.05):
            message.number(2, ord(phase))
        if self.some(0.1):
            message.number(1, self.iid())
        if phase == "X" or self.some(0.05):
            if not self.some(0.1):
                message.number(3, r.choice([0, 0, -1]))
            if self.some(0.3):
                message.number(4, r.choice([1, 3]))
            if self.some(0.3):
                message.number(15, 77)
        if phase in "benSTpFstf" or self.some(0.1):
            if not self.some(0.05):
                message.number(r.choice([6, 6, 6, 10, 11]) if phase not in "stf" else r.choice([6, 6, 6, 10]), r.choice([1, 2]))
            if self.some(0.2):
                message.text(7, r.choice(["scope", "other"]))
            if self.some(0.1):
                message.number(9, 1)
        if phase in "iI" and self.some(0.7):
            message.number(14, r.randrange(4))
        if phase == "f":  # without it and without a start, the engine takes slice 0 for the start
            message.number(12, 1)
        if "flows" in self.on and self.some(0.3):
            message.number(8, r.choice([5, 6]))
            if not self.some(0.1):
                message.number(13, r.choice([1, 2, 3]))
        if self.has("override", 0.5):
            message.number(18, r.choice([10, 20, 40]))
        if self.has("override", 0.4):
            message.number(19, r.choice([10, 11, 41]))
        return message

    def annotation(self, depth=0):
        """Entries of a dictionary always have a name."""
        r, message = self.r, Message()
        if depth == 0 and self.has("intern", 0.5):
            message.number(1, r.choice([1, 2, 3, 4, 8]))
        elif depth or not self.some(0.03):
            message.text(10, r.choice(["arg", "a.b[1]", "n", "", "deep"]))
        self.value(message, depth)
        if self.some(0.03):
            self.value(message, 5)
        return message

    def value(self, message, depth):
        r = self.r
        kind = r.randrange(12 if depth < 4 else 8)
        if kind == 0:
            message.number(2, r.choice([0, 1]))
        elif kind == 1:
            message.number(3, r.choice([0, 7, 2**64 - 1, 2**63]))
        elif kind == 2:
            message.number(4, r.choice([0, -1, -2**63, 12]))
        elif kind == 3:
            message.double(5, r.choice([0.0, 1.5, -2e-300, float("inf"), 1e22]))
        elif kind == 4:
            message.text(6, r.choice(["", "text", "\u20ac\n\"q\""]))
        elif kind == 5:
            message.number(7, r.choice([0, 0xdeadbeef, 2**64 - 16]))
        elif kind == 6:
            message.text(9, r.choice(['{"a":1,"b":[1,2.5,{"c":"x"}],"n":null,"t":true}', '[1,[2,3],"s"]', '{', '{"e":{}}', '[]',
                                      '{"z":-0,"w":1234567890123456789,"v":1.5e3}']))
        elif kind == 7:
            iid = self.known_iid(self.seq, 29)
            message.number(17, iid) if iid else message.number(2, 1)
        elif kind == 8:
            for _ in range(r.randrange(4)):
                message.text(11, self.annotation(depth + 1))
        elif kind == 9:
            for _ in range(r.randrange(4)):
                element = Message()
                self.value(element, depth + 1)
                message.text(12, element)
        elif kind == 10:
            message.text(8, self.nested(0))
        else:
            pass

    def nested(self, depth):
        r, message = self.r, Message()
        kind = r.randrange(3) if depth < 3 else 0
        message.number(1, kind)
        if kind == 1:
            for _ in range(r.randrange(3)):
                message.text(2, r.choice(["k", "l.m"]))
                message.text(3, self.nested(depth + 1))
        elif kind == 2:
            for _ in range(r.randrange(3)):
                message.text(4, self.nested(depth + 1))
        else:
            pick = r.randrange(4)
            if pick == 0:
                message.number(5, r.choice([0, 3, -4]))
            elif pick == 1:
                message.double(6, 0.25)
            elif pick == 2:
                message.number(7, 1)
            else:
                message.text(8, "nested")
        return message

    def attachments(self, event, kind):
        r = self.r
        if self.has("source", 0.3):
            event.text(33, Message().text(2, r.choice(["in.c", "a\\b.c"])).text(3, "fn").number(4, 12))
        if self.has("source", 0.3):
            event.number(34, r.choice([1, 2, 3, 9]))
        if self.has("source", 0.1):
            event.text(5, Message().number(1, self.iid()))
        if self.has("logs", 0.3):
            log = Message()
            if not self.some(0.2):
                log.number(1, self.iid())
            if not self.some(0.1):
                log.number(2, self.known_iid(self.seq, 20))
            if self.some(0.5):
                log.number(3, r.randrange(8))
            event.text(21, log)
        if self.has("correlation", 0.4):
            form = r.randrange(3)
            if form == 0:
                event.number(52, r.choice([0, 7, 2**64 - 1]))
            elif form == 1:
                event.text(53, r.choice(["", "corr"]))
            else:
                event.number(54, r.choice([1, 2, 3, 9]))
        if kind != END and self.has("callstacks", 0.4):
            if self.some(0.5):
                stack = Message()
                for _ in range(r.randint(0, 3)):
                    frame = Message().text(1, r.choice(["main", "run", "leaf"]))
                    if self.some(0.4):
                        frame.text(2, "file.c").number(3, r.randint(0, 5))
                    stack.text(1, frame)
                event.text(55, stack)
            else:
                event.number(56, self.iid())
        if self.has("gpustages", 0.2):
            inner = Message()
            for _ in range(r.randint(1, 2)):
                inner.number(r.choice([1, 2]), r.choice([1, 2, 3]))
            event.text(3000, inner)
        if self.has("gpustages", 0.1):
            event.number(3001, r.randrange(7))
        if self.has("typed", 0.05):
            event.text(50, Message().text(1, b"\xff\xd8jpg"))
