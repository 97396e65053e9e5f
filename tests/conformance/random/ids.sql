-- Numbers of rows, which are those of the engine where one machine is recorded.
-- @name sched_ids
SELECT s.id, s.ts, s.ucpu, t.tid FROM sched s JOIN thread t USING (utid) ORDER BY 1;

-- @name state_ids
SELECT s.id, s.ts, s.state, t.tid, s.waker_id FROM thread_state s JOIN thread t USING (utid) ORDER BY 1;

-- @name wakeup_ids
SELECT s.id, s.ts, t.tid, s.thread_state_id FROM spurious_sched_wakeup s JOIN thread t USING (utid) ORDER BY 1;
