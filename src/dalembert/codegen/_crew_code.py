"""LLVM text of the crew: threads that wait for a task, and the caller's side of it.

    lock; publish the task; wake; unlock        | lock; sleep until the turn changes; if parts are left: inside += 1
    take parts until none is left               | unlock; take parts until none is left
    lock; sleep until inside = 0; unlock        | lock; inside -= 1; if it is 0, tell the caller

Only `next` is written outside the lock, by atomic addition. A thread that wakes late finds no part left and sleeps on.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

from dalembert.codegen import _target


class Place(IntEnum):
    """Where things are in the memory of a crew, in words of 8 bytes."""

    turn = 0  # counts tasks
    busy = 1
    inside = 2  # threads that are in a part
    over = 3  # the crew is dismissed
    wanted = 4  # threads that may still join
    code = 5
    inputs = 6
    strides = 7
    out = 8
    end = 9
    part = 10
    work = 11
    size = 12  # bytes of working memory of one thread
    next = 16  # a line of the cache of its own
    mutex = 24  # 192 bytes each for what the system keeps there: more than any needs
    woken = 48
    left = 72


SIZE = 96
#: Looks at the others before the caller sleeps until they have left: some 20 us, what sleeping and waking would take.
_LOOKS = 400


@lru_cache(maxsize=1)
def loaded() -> _target.Loaded:
    code = _target.assemble(_text())
    return _target.Loaded(code, ("crew.run", "crew.serve", "crew.dismiss"))


def _at(name: str) -> str:
    return f"  %{name}.at = getelementptr i64, ptr %crew, i64 {Place[name].value}\n"


def _all_places() -> str:
    return "".join(_at(place.name) for place in Place)


_TAKE = """
define internal void @crew.take(ptr %crew, i64 %who) nounwind {
  PLACES
  %code = load ptr, ptr %code.at
  %inputs = load ptr, ptr %inputs.at
  %strides = load ptr, ptr %strides.at
  %out = load ptr, ptr %out.at
  %end = load i64, ptr %end.at
  %part = load i64, ptr %part.at
  %work = load ptr, ptr %work.at
  %size = load i64, ptr %size.at
  %offset = mul i64 %size, %who
  %own = getelementptr i8, ptr %work, i64 %offset
  br label %again
again:
  %begin = atomicrmw add ptr %next.at, i64 %part monotonic
  %left = icmp slt i64 %begin, %end
  br i1 %left, label %go, label %done
go:
  %stop = add i64 %begin, %part
  %short = icmp slt i64 %stop, %end
  %to = select i1 %short, i64 %stop, i64 %end
  call void %code(ptr %inputs, ptr %strides, ptr %out, i64 %begin, i64 %to, ptr %own)
  br label %again
done:
  ret void
}
"""

_SERVE = """
define ptr @crew.serve(ptr %crew) nounwind {
  PLACES
  call i32 @pthread_mutex_lock(ptr %mutex.at)
  br label %wait
wait:
  %seen = phi i64 [ 0, %0 ], [ %seen, %sleep ], [ %turn, %idle ], [ %turn, %out ], [ %turn, %tell ]
  %over = load i64, ptr %over.at
  %ends = icmp ne i64 %over, 0
  br i1 %ends, label %finish, label %look
look:
  %turn = load i64, ptr %turn.at
  %same = icmp eq i64 %turn, %seen
  br i1 %same, label %sleep, label %idle
sleep:
  call i32 @pthread_cond_wait(ptr %woken.at, ptr %mutex.at)
  br label %wait
idle:
  %wanted = load i64, ptr %wanted.at
  %next = load atomic i64, ptr %next.at monotonic, align 8
  %end = load i64, ptr %end.at
  %some = icmp slt i64 %next, %end
  %place = icmp sgt i64 %wanted, 0
  %join = and i1 %some, %place
  br i1 %join, label %in, label %wait
in:
  %fewer = sub i64 %wanted, 1
  store i64 %fewer, ptr %wanted.at
  %inside = load i64, ptr %inside.at
  %more = add i64 %inside, 1
  store atomic i64 %more, ptr %inside.at monotonic, align 8
  call i32 @pthread_mutex_unlock(ptr %mutex.at)
  call void @crew.take(ptr %crew, i64 %wanted)
  call i32 @pthread_mutex_lock(ptr %mutex.at)
  br label %out
out:
  %still = load i64, ptr %inside.at
  %less = sub i64 %still, 1
  store atomic i64 %less, ptr %inside.at release, align 8
  %last = icmp eq i64 %less, 0
  br i1 %last, label %tell, label %wait
tell:
  call i32 @pthread_cond_signal(ptr %left.at)
  br label %wait
finish:
  call i32 @pthread_mutex_unlock(ptr %mutex.at)
  ret ptr null
}
"""

_RUN = """
define void @crew.run(ptr %crew, ptr %code, ptr %inputs, ptr %strides, ptr %out, i64 %begin, i64 %end, i64 %part,
                      ptr %work, i64 %size, i64 %threads) nounwind {
  PLACES
  call i32 @pthread_mutex_lock(ptr %mutex.at)
  %busy = load i64, ptr %busy.at
  %over = load i64, ptr %over.at
  %both = or i64 %busy, %over
  %taken = icmp ne i64 %both, 0
  br i1 %taken, label %alone, label %publish
alone:
  call i32 @pthread_mutex_unlock(ptr %mutex.at)
  call void %code(ptr %inputs, ptr %strides, ptr %out, i64 %begin, i64 %end, ptr %work)
  ret void
publish:
  store i64 1, ptr %busy.at
  store ptr %code, ptr %code.at
  store ptr %inputs, ptr %inputs.at
  store ptr %strides, ptr %strides.at
  store ptr %out, ptr %out.at
  store i64 %end, ptr %end.at
  store i64 %part, ptr %part.at
  store ptr %work, ptr %work.at
  store i64 %size, ptr %size.at
  store atomic i64 %begin, ptr %next.at monotonic, align 8
  %others = sub i64 %threads, 1
  store i64 %others, ptr %wanted.at
  %before = load i64, ptr %turn.at
  %turn = add i64 %before, 1
  store i64 %turn, ptr %turn.at
  call i32 @pthread_mutex_unlock(ptr %mutex.at)
  call i32 @pthread_cond_broadcast(ptr %woken.at)
  call void @crew.take(ptr %crew, i64 0)
  br label %spin
spin:
  %looks = phi i64 [ 0, %publish ], [ %looked, %spun ]
  %inside = load atomic i64, ptr %inside.at acquire, align 8
  %free = icmp eq i64 %inside, 0
  %tired = icmp eq i64 %looks, LOOKS
  %stop = or i1 %free, %tired
  br i1 %stop, label %settle, label %spun
spun:
  %looked = add i64 %looks, 1
  PAUSE
  br label %spin
settle:
  call i32 @pthread_mutex_lock(ptr %mutex.at)
  store i64 0, ptr %wanted.at
  br label %check
check:
  %others.inside = load i64, ptr %inside.at
  %all = icmp eq i64 %others.inside, 0
  br i1 %all, label %done, label %sleep
sleep:
  call i32 @pthread_cond_wait(ptr %left.at, ptr %mutex.at)
  br label %check
done:
  store i64 0, ptr %busy.at
  call i32 @pthread_mutex_unlock(ptr %mutex.at)
  ret void
}
"""

_DISMISS = """
define void @crew.dismiss(ptr %crew) nounwind {
  PLACES
  call i32 @pthread_mutex_lock(ptr %mutex.at)
  store i64 1, ptr %over.at
  call i32 @pthread_mutex_unlock(ptr %mutex.at)
  call i32 @pthread_cond_broadcast(ptr %woken.at)
  ret void
}
"""


def _text() -> str:
    known = _target.host()[0].startswith(("x86_64", "i686"))
    pause = "call void @llvm.x86.sse2.pause()" if known else ""
    names = ("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_cond_broadcast", "pthread_cond_signal")
    head = "".join(f"declare i32 @{name}(ptr)\n" for name in names) + "declare i32 @pthread_cond_wait(ptr, ptr)\n"
    head += "declare void @llvm.x86.sse2.pause()\n" if known else ""
    body = (_TAKE + _SERVE + _RUN + _DISMISS).replace("LOOKS", str(_LOOKS)).replace("  PAUSE\n", f"  {pause}\n")
    return head + body.replace("  PLACES\n", _all_places())
