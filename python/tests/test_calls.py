# SPDX-License-Identifier: MIT
"""Tests threads, the release of the interpreter's lock, Ctrl-C, memory, and forked processes."""

import concurrent.futures
import copy
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

# One thread needs seconds to smooth this array. A call works in small steps, and notices Ctrl-C between them.
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
        """Another Python thread runs while a call computes."""
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

    def interrupted(self, call):
        """Checks that Ctrl-C after 0.2 s ends a call that would otherwise take more than 2 s."""
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.process_time()
        with self.assertRaises(KeyboardInterrupt):
            call()
        timer.join()
        self.assertLess(time.process_time() - begin, 2)  # processor time, which other programs do not change

    def test_interrupt(self):
        """The call after an interrupted call gives the right result."""
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores SIGINT
        out = np.zeros(MANY.shape, np.uint16)
        self.interrupted(lambda: smooth_many(out))
        self.assertTrue(out[0].any())
        self.assertFalse(out[-1].any())
        expected = smoothimg.Filter(5.3, radius=16)(MANY[0])
        self.assertTrue((out[0] == expected).all())

    def test_interrupt_any_array(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        row = np.random.default_rng(1).normal(size=200)
        volume, image = np.broadcast_to(row, (100, 800, 200)), np.ones((20000, 20000), np.uint16)
        turned = np.broadcast_to(image[:, :1000], (40, 20000, 1000))
        narrow, out = image[:, :6000], np.ones((20000, 6000), "f4")
        for call in (
            lambda: smoothimg.gaussian_laplace(volume, 3, threads=1),
            lambda: smoothimg.gaussian_filter(narrow, 9, output=out, threads=1),
            lambda: smoothimg.gaussian_filter(image, 15, threads=1),
            lambda: smoothimg.transpose(turned, axes=(1, 2), threads=1),
        ):
            self.interrupted(call)

    def test_pieces(self):
        """The package divides a call for a large array into pieces, and checks for Ctrl-C between them. With 1024
        threads each thread's work is too small to be divided. The divided call and the whole one must give the same
        bytes."""
        draw = np.random.default_rng(1)
        for shape, dtype, named in (
            ((3000, 2100), "u1", {"sigma": 4}),
            ((2100, 3000, 3), "u2", {"sigma": (4, 9), "axes": (0, 1), "mode": "wrap"}),
            ((700, 900), "f8", {"sigma": 3, "order": (0, 1)}),
            ((60, 90, 200), "f4", {"sigma": 2, "mode": "mirror"}),
            ((60, 90, 200), "i4", {"sigma": 2, "axes": (1, 2)}),
            ((1500000,), "f4", {"sigma": 9}),
            ((4000000, 3), "u1", {"sigma": 9, "axes": 0}),
            ((3, 1700, 1800), "u1", {"sigma": 5, "axes": (1, 2)}),
        ):
            image = draw.integers(0, 200, shape).astype(dtype)
            for given in (image, np.asfortranarray(image)):
                found = smoothimg.gaussian_filter(given, **named, threads=1)
                whole = smoothimg.gaussian_filter(given, **named, threads=1024)
                self.assertTrue((found == whole).all(), (shape, dtype))
        stars = draw.random((3000, 2100), "f4")
        stars[stars < 0.1] = np.nan
        image = draw.integers(0, 256, (2000, 1500, 4), np.uint8)
        for soften, given in (
            (smoothimg.Filter(4, nan="skip"), stars),
            (smoothimg.Filter(4, nan="skip", mode="wrap"), stars.T),
            (smoothimg.Filter(6, alpha=True), image),
            (smoothimg.Filter(4, norm="analytic"), image[..., 0]),
        ):
            found, whole = soften(given, threads=1), soften(given, threads=1024)
            self.assertEqual(found.tobytes(), whole.tobytes(), soften)

    def test_batch_in_one_call(self):
        frames = noise((300, 64, 64))
        soften = smoothimg.Filter(2)
        expected = np.stack([soften(frame) for frame in frames])
        self.assertTrue((soften(frames, axes=(1, 2)) == expected).all())
        large = noise((9, 4096, 4096))  # divided into several pieces
        found = smoothimg.reverse(large, axes=(1, 2))
        self.assertTrue((found == large[:, ::-1, ::-1]).all())

    def test_nothing_is_kept(self):
        def references():
            image, out = noise((50, 50)), np.empty((50, 50), np.uint8)
            smoothimg.gaussian_filter(image, 1, output=out)
            return [weakref.ref(array) for array in (image, out, soften(image))]

        soften = smoothimg.Filter(1.5)
        kept = references()
        gc.collect()
        self.assertEqual([one() for one in kept], [None] * 3)
        image, largest = noise((512, 512)), []
        for _ in range(4):
            for _ in range(100):
                smoothimg.gaussian_filter(image, 1)
            largest.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        # Peak memory in kilobytes, after the last and after the first 100 calls. If each call kept a copy of its array,
        # the difference would be 75000.
        self.assertLess(largest[-1] - largest[0], 4096)

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

    def test_filter_is_a_value(self):
        """repr() of a Filter has its parameters, and Filters with the same parameters are equal."""
        every = {
            "sigma": (1, 2.5),
            "order": (0, 1),
            "mode": ("wrap", "constant"),
            "cval": 3,
            "truncate": 2.0,
            "radius": 7,
            "nan": "skip",
            "norm": "analytic",
            "alpha": True,
        }
        del every["alpha"]  # not allowed with nan="skip"
        printed = ", ".join(f"{name}={value!r}" for name, value in every.items())
        self.assertEqual(repr(smoothimg.Filter(**every)), f"Filter({printed})")
        self.assertEqual(repr(smoothimg.Filter(radius=(3, 4))), "Filter(radius=(3, 4))")
        self.assertEqual(repr(smoothimg.Filter(2, alpha=True)), "Filter(sigma=2, alpha=True)")
        self.assertEqual(repr(smoothimg.Filter(np.float32(0.5))), "Filter(sigma=0.5)")
        others = [smoothimg.Filter(**{**every, name: every[name]}) for name in every]
        self.assertEqual(len({smoothimg.Filter(**every), *others}), 1)
        changes = {
            "sigma": 1,
            "order": 0,
            "mode": "wrap",
            "cval": 2,
            "truncate": 3.0,
            "radius": 8,
            "nan": "propagate",
            "norm": "sum",
        }
        changed = {smoothimg.Filter(**{**every, name: value}) for name, value in changes.items()}
        self.assertEqual(len(changed), len(changes))
        self.assertNotIn(smoothimg.Filter(**every), changed)
        for same in ([1, 2], (1, 2), np.array([1, 2]), np.array([1.0, 2])):
            self.assertEqual(smoothimg.Filter(same), smoothimg.Filter((1, 2)))
        for one in (smoothimg.Filter(**every), smoothimg.Filter(1, cval=np.float64("nan"))):
            self.assertEqual(pickle.loads(pickle.dumps(one)), one)
            self.assertEqual(hash(copy.deepcopy(one)), hash(one))
        self.assertNotEqual(smoothimg.Filter(1), 1)
        sent, image = pickle.loads(pickle.dumps(smoothimg.Filter(2, mode="wrap"))), noise((9, 9))
        self.assertEqual((sent.radius, sent.sigma), (8, 2))
        self.assertEqual(smoothimg.Filter(radius=(6, 3)).sigma, (2, 1))
        self.assertTrue((sent(image) == smoothimg.Filter(2, mode="wrap")(image)).all())

    def test_threads_of_the_module(self):
        image = noise((300, 400))
        expected = smoothimg.gaussian_filter(image, 2, threads=1)
        self.assertEqual(smoothimg.get_threads(), 0)
        self.addCleanup(smoothimg.set_threads, 0)
        for threads in (1, np.int64(3), 1024):
            smoothimg.set_threads(threads)
            self.assertEqual(smoothimg.get_threads(), threads)
            self.assertTrue((smoothimg.gaussian_filter(image, 2) == expected).all())
        for wrong, error in ((-1, ValueError), (1025, ValueError), (1.0, TypeError)):
            with self.assertRaisesRegex(error, "0 for all processors"):
                smoothimg.set_threads(wrong)
        self.assertEqual(smoothimg.get_threads(), 1024)


if __name__ == "__main__":
    sys.setswitchinterval(0.001)
    unittest.main()
