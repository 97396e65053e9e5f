"""Random packets about processes, GPUs and the recording itself; see make_trace.py."""
from wire import Message


class System:
    def process_tree(self):
        r, tree = self.r, Message()
        for _ in range(r.randrange(3)):
            process = Message().number(1, r.choice([10, 20, 30, 40]))
            process.number(2, 1)
            for word in r.choice([[], ["/usr/bin/tool"], ["tool -x y"], ["tool", "-x", "y z"]]):
                process.text(3, word)
            if self.some(0.5):
                process.number(5, r.choice([0, 1000]))
            if self.some(0.3):
                process.number(7, 500)
            tree.text(1, process)
        for _ in range(r.randrange(3) if "override" not in self.on else 0):
            tgid = r.choice([10, 20, 30])
            thread = Message().number(1, tgid + r.randrange(3))
            if self.some(0.7):
                thread.text(2, r.choice(["thr", "io"]))
            thread.number(3, tgid)
            tree.text(2, thread)
        self.now += self.step
        packet = Message().number(8, self.now)
        if self.some(0.5):
            packet.number(10, self.r.choice(self.sequences).number)
        self.put(packet.text(2, tree))

    def process_stats(self):
        stats = Message()
        for _ in range(self.r.randint(1, 2)):
            process = Message().number(1, self.r.choice([10, 20, 50]))
            for field in (2, 3, 4, 5, 6, 7, 8, 9, 10, 21, 22, 24):
                if self.some(0.3):
                    process.number(field, self.r.choice([0, 1, 4096, 100]))
            stats.text(1, process)
        self.now += self.step
        self.put(Message().number(8, self.now).number(10, self.r.choice(self.sequences).number).text(9, stats))

    def legacy_thread(self, seq, first=False):
        """The thread of the sequence, which never changes."""
        packet = Message().number(10, seq.number).number(13, 1) if first else Message().number(8, self.now).number(10, seq.number)
        self.put(packet.text(44, self.thread(seq.pid, seq.tid, whole=True)))

    def legacy_descriptor(self):
        seq = self.r.choice(self.sequences)
        if self.some(0.3):
            self.put(self.envelope(seq, steady=True).text(43, self.process(seq.pid)))
        elif seq.has_thread:
            self.legacy_thread(seq)

    def compute_arg(self):
        r, message = self.r, Message()
        if self.some(0.5):
            message.number(1, self.iid())
        else:
            message.text(2, r.choice(["x", "occupancy"]))
        kind = r.randrange(5)
        if kind == 0:
            message.number(3, -5)
        elif kind == 1:
            message.number(4, 2**63)
        elif kind == 2:
            message.double(5, 0.75)
        elif kind == 3:
            message.text(6, "v")
        else:
            message.number(7, self.iid())
        return message

    def gpu_stage(self):
        r, event, seq = self.r, Message(), self.r.choice(self.sequences)
        packet = self.envelope(seq, steady=True)
        if not self.some(0.05):
            event.number(1, len(self.packets))
        event.number(2, self.step * r.choice([0, 1, 2, 5]))
        old = self.some(0.2)
        if old:
            event.number(3, r.randrange(3)).number(4, r.randrange(3))
            if self.some(0.4):
                spec = Message()
                if self.some(0.5):
                    spec.text(1, Message().number(1, 1).number(2, 10))
                for _ in range(2):
                    spec.text(2, Message().text(1, r.choice(["hwq", "hwr"])).text(2, r.choice(["", "desc"])))
                    spec.text(3, Message().text(1, r.choice(["vs", "fs"])).text(2, r.choice(["", "sdesc"])))
                event.text(7, spec)
        else:
            if not self.some(0.05):
                event.number(13, self.known_iid(seq, 24))
            event.number(14, self.known_iid(seq, 24))
        if self.some(0.5):
            event.number(5, r.choice([1, 2, 9]))
        for _ in range(r.choice([0, 0, 1, 2])):
            event.text(6, Message().text(1, r.choice(["k", "l"])).text(2, "v"))
        for field, values in ((8, [0, 77]), (9, [5]), (10, [1, 2, 3]), (11, [0, 1]), (12, [6, 0]), (16, [1, 4]), (19, [1, 2, 3])):
            if self.some(0.4):
                event.number(field, r.choice(values))
        for _ in range(r.choice([0, 0, 1, 2])):
            event.number(15, r.choice([1, 9, 1 << 63]))
        if self.some(0.2):
            event.text(17, "named")
        elif self.some(0.2):
            event.number(20, self.known_iid(seq, 1000))
        for _ in range(r.choice([0, 0, 1])):
            event.number(18, r.randint(0, len(self.packets)))
        if self.some(0.3):
            dims = Message().number(1, 32).number(2, 2)
            launch = Message().text(1, dims).text(2, Message().number(3, 4))
            if self.some(0.7):
                launch.text(3, self.compute_arg())
            event.text(21, launch)
        self.put(packet.text(53, event))

    def counter_descriptor(self):
        r, message = self.r, Message()
        for number in range(r.randint(1, 3)):
            spec = Message().number(1, number).text(2, f"counter {len(self.packets)} {number}")
            if self.some(0.4):
                spec.text(3, "how busy")
            for _ in range(r.choice([0, 1, 2])):
                spec.number(7, r.randrange(0, 41))
            for _ in range(r.choice([0, 0, 1, 2])):
                spec.number(8, r.choice([21, 22, 37]))
            for _ in range(r.choice([0, 0, 1, 2])):
                spec.number(10, r.randrange(8))
            message.text(1, spec)
        if self.some(0.2):
            message.text(6, Message().number(1, 9).text(2, "group").text(3, "text").number(4, 0).number(4, 1))
        return message

    def gpu_counters(self):
        r, event, seq = self.r, Message(), self.r.choice(self.sequences)
        packet = self.envelope(seq, steady=True)
        if self.some(0.3) or not self.gpu_sent:
            event.text(1, self.counter_descriptor())
            self.gpu_sent = True
        elif self.some(0.5):
            event.number(4, self.known_iid(seq, 47))
        for _ in range(r.randrange(4)):
            sample = Message().number(1, r.randrange(4))
            if self.some(0.6):
                sample.number(2, r.choice([0, 5, -1]))
            elif self.some(0.8):
                sample.double(3, 0.5)
            event.text(2, sample)
        if self.some(0.4):
            event.number(3, r.choice([0, 1]))
        self.put(packet.text(52, event))

    def gpu_other(self):
        r, kind = self.r, self.r.randrange(4)
        packet = self.envelope(r.choice(self.sequences), steady=True)
        if kind == 0:
            packet.text(63, Message().number(1, r.randrange(7)).text(2, "tag").text(3, "message"))
        elif kind == 1:
            packet.text(71, Message().number(1, r.choice([0, 1])).number(2, r.choice([0, 10])).number(3, 4096))
        elif kind == 2:
            packet.text(65, Message().text(1, Message().number(1, 10).number(2, 0).number(3, r.choice([6, 18, 8]))
                                           .number(4, r.choice([77, 5, 6])).text(5, "object")))
        else:
            submit = Message().number(1, 0).number(2, 10).number(3, 11).number(5, 6).number(5, 7).number(6, r.randint(1, 3))
            packet.text(65, Message().text(2, submit))
        self.put(packet)

    def odd_packet(self):
        kind = self.r.randrange(6 if "primary" not in self.on else 5)
        if kind == 0:
            self.put(Message().text(36, b"0123456789abcdef"))
        elif kind == 1:
            self.put(Message().text(1, b"\x08\x01"))
        elif kind == 2:
            self.put(Message())
        elif kind == 3:
            key = f"key{len(self.packets)}"
            self.put(Message().text(126, Message().text(1, Message().text(1, key).number(2, self.r.randrange(4)))))
        elif kind == 4:
            self.put(Message().number(8, self.now).text(46, Message().text(1, "trig").text(2, "producer").number(3, 5)))
        else:
            self.put(Message().number(8, self.now).text(69, Message().number(2, 1)))
