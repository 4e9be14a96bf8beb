# SPDX-License-Identifier: MIT
"""Threads, the interpreter's lock, Ctrl-C, memory, processes that fork."""

import concurrent.futures
import gc
import multiprocessing
import os
import pickle
import resource
import signal
import sys
import threading
import time
import unittest
import weakref

import numpy as np
from common import noise

import smoothimg

# Seconds of work on one thread, in many small steps.
MANY = np.broadcast_to(noise((256, 256), np.uint16), (8000, 256, 256))


def smooth_many(out):
    smoothimg.Filter(5.3, radius=16)(MANY, axes=(1, 2), out=out, threads=1)


def in_child(image, expected, answers):
    answers.put(bool((smoothimg.gaussian_filter(image, 2) == expected).all()))


class Calls(unittest.TestCase):
    def test_threads_share_a_filter(self):
        soften = smoothimg.Filter(1.5)
        images = [noise((200, 100 + i), seed=i) for i in range(40)]
        expected = [soften(image) for image in images]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for threads in (0, 1, 3):
                found = list(pool.map(lambda image: soften(image, threads=threads), images * 3))
                self.assertTrue(all((a == b).all() for a, b in zip(found, expected * 3)))

    def test_threads_write_one_array(self):
        image, whole = noise((400, 300)), np.zeros((400, 300), np.uint8)
        bands = [
            (whole[first : first + 100], image[first : first + 100]) for first in range(0, 400, 100)
        ]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda pair: smoothimg.reverse(pair[1], out=pair[0], threads=1), bands))
        expected = np.concatenate(
            [np.flip(image[first : first + 100]) for first in range(0, 400, 100)]
        )
        self.assertTrue((whole == expected).all())

    def test_lock_is_released(self):
        """Another thread runs while one call computes."""
        image, ticks, done = noise((4000, 4000), np.uint16), [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.perf_counter()
        smoothimg.gaussian_filter(image, 20, radius=80)
        end = time.perf_counter()
        done.set()
        thread.join()
        self.assertGreater(sum(begin < tick < end for tick in ticks), (end - begin) / 0.1)

    def test_interrupt(self):
        """Ctrl-C ends a long call, and the next one is right."""
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
        out = np.zeros(MANY.shape, np.uint16)
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.perf_counter()
        with self.assertRaises(KeyboardInterrupt):
            smooth_many(out)
        timer.join()
        self.assertLess(time.perf_counter() - begin, 3)
        self.assertTrue(out[0].any())
        self.assertFalse(out[-1].any())
        expected = smoothimg.Filter(5.3, radius=16)(MANY[0])
        self.assertTrue((out[0] == expected).all())

    def test_batch_in_one_call(self):
        frames = noise((300, 64, 64))
        soften = smoothimg.Filter(2)
        expected = np.stack([soften(frame) for frame in frames])
        self.assertTrue((soften(frames, axes=(1, 2)) == expected).all())
        large = noise((9, 4096, 4096))  # in several steps
        found = smoothimg.reverse(large, axes=(1, 2))
        self.assertTrue((found == large[:, ::-1, ::-1]).all())

    def test_nothing_is_kept(self):
        def references():
            image, out = noise((50, 50)), np.empty((50, 50), np.uint8)
            smoothimg.gaussian_filter(image, 1, output=out)
            return weakref.ref(image), weakref.ref(out)

        kept = references()
        gc.collect()
        self.assertEqual([one() for one in kept], [None, None])
        image, largest = noise((512, 512)), []
        for _ in range(4):
            for _ in range(100):
                smoothimg.gaussian_filter(image, 1)
            largest.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        self.assertLess(largest[-1] - largest[0], 4096)  # kilobytes; a copy each time is 75000

    def test_fork(self):
        image = noise((300, 300))
        expected = smoothimg.gaussian_filter(image, 2)
        forking = multiprocessing.get_context("fork")
        answers = forking.Queue()
        children = [
            forking.Process(target=in_child, args=(image, expected, answers)) for _ in range(2)
        ]
        for child in children:
            child.start()
        self.assertEqual([answers.get(timeout=60) for _ in children], [True, True])
        for child in children:
            child.join()

    def test_filter_is_sent(self):
        """To other processes, by pickle."""
        soften, image = smoothimg.Filter(2, mode="wrap", alpha=True), noise((9, 9, 4))
        expected = soften(image)
        sent = pickle.loads(pickle.dumps(soften))
        self.assertTrue((sent(image) == expected).all())
        self.assertEqual((sent.radius, sent.sigma), ((8, 8), (2, 2)))

    def test_filter_prints_its_parameters(self):
        self.assertEqual(
            repr(smoothimg.Filter(2, radius=7)), "Filter(sigma=2, radius=7, mode='reflect')"
        )
        self.assertEqual(
            repr(smoothimg.Filter(radius=(3, 4))), "Filter(radius=(3, 4), mode='reflect')"
        )


if __name__ == "__main__":
    sys.setswitchinterval(0.001)
    unittest.main()
