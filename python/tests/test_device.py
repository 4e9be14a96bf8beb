# SPDX-License-Identifier: MIT
"""Tests arrays of PyTorch and CuPy on a CUDA device: results have the host's bytes, on the framework's current stream
and in CUDA graphs. (test_emulated tests every type, layout, output and framework.) Needs a GPU and the package built
with CUDA. Skips a framework that is missing. Runs alone: python3 test_device.py"""

import importlib
import sys
import threading
import types
import unittest
from contextlib import contextmanager
from unittest import mock

from common import noise

import numpy as np

import smoothimg


class TorchArrays:
    """Copies arrays to the device and back with PyTorch, and makes PyTorch's streams and graphs."""

    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("PyTorch sees no GPU")
        self.array = self.torch.Tensor

    def put(self, image):
        return self.torch.from_numpy(np.ascontiguousarray(image)).cuda()

    def get(self, array):
        return array.cpu().numpy()

    def stream(self):
        return self.torch.cuda.Stream()

    def on(self, stream):
        return self.torch.cuda.stream(stream)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def work(self):
        """Keeps the current stream busy for some milliseconds."""
        large = self.torch.ones((6000, 6000), device="cuda")
        for _ in range(6):
            large = large @ large

    @contextmanager
    def capture(self, stream):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=stream):
            yield graph.replay


class CupyArrays:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.cupy.zeros(1)  # raises an exception without a GPU
        self.array = self.cupy.ndarray

    def put(self, image):
        return self.cupy.asarray(np.ascontiguousarray(image))

    def get(self, array):
        return self.cupy.asnumpy(array)

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def on(self, stream):
        return stream

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()

    def work(self):
        large = self.cupy.ones((6000, 6000), "f4")
        for _ in range(6):
            large = large @ large

    @contextmanager
    def capture(self, stream):
        made = []
        with stream:
            stream.begin_capture()
            yield lambda: made[0].launch(stream)
            made.append(stream.end_capture())


class Frameworks:
    """The tests. Each subclass below runs them with the arrays of one framework."""

    factory = None

    @classmethod
    def setUpClass(cls):
        try:
            cls.on = cls.factory()
        except Exception as error:  # without a GPU, frameworks raise exceptions of many types
            raise unittest.SkipTest(f"{cls.__name__}: {error}") from None
        try:
            smoothimg.gaussian_filter(cls.on.put(noise((4, 4))), 1)
        except RuntimeError as error:
            raise unittest.SkipTest(f"{cls.__name__}: {error}") from None

    def finish(self, threads):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.on.synchronize()

    def same(self, found, expected, what):
        self.assertIsInstance(found, self.on.array)
        found = self.on.get(found)
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
        different = (found != expected) & ~(np.isnan(found) & np.isnan(expected))
        self.assertEqual(np.count_nonzero(different), 0, what)

    def test_current_stream(self):
        """A call runs after the stream's earlier work, and the host does not wait for the stream."""
        image = noise((500, 700))
        expected = smoothimg.gaussian_filter(image, 2)
        source, there = self.on.put(image), self.on.put(np.zeros_like(image))
        stream = self.on.stream()
        with self.on.on(stream):
            smoothimg.gaussian_filter(there, 2)  # allocates the memory that the call below needs
        self.on.synchronize()
        with self.on.on(stream):
            self.on.work()
            there[...] = source
            found = smoothimg.gaussian_filter(there, 2)
            there[...] = 0
        self.on.synchronize()
        self.same(found, expected, "after the stream's work")

    def test_two_streams(self):
        """Two streams work at the same time, with calls from one thread and from two."""
        images = [noise((400, 500, 3), seed=seed) for seed in range(2)]
        expected = [smoothimg.gaussian_filter(image, 3, axes=(0, 1)) for image in images]
        there = [self.on.put(image) for image in images]
        streams = [self.on.stream() for _ in images]
        self.on.synchronize()
        found = [[], []]

        def call(which, times):
            with self.on.on(streams[which]):
                for _ in range(times):
                    found[which].append(smoothimg.gaussian_filter(there[which], 3, axes=(0, 1)))

        for _ in range(20):
            call(0, 1)
            call(1, 1)
        threads = [threading.Thread(target=call, args=(which, 40)) for which in range(2)]
        self.finish(threads)
        for which in range(2):
            self.assertEqual(len(found[which]), 60)
            for one in found[which]:
                self.same(one, expected[which], which)

    def test_threads_on_one_stream(self):
        image = noise((300, 400))
        there, expected, found = self.on.put(image), smoothimg.gaussian_filter(image, 2), []
        threads = [
            threading.Thread(target=lambda: found.append(smoothimg.gaussian_filter(there, 2)))
            for _ in range(8)
        ]
        self.finish(threads)
        self.assertEqual(len(found), 8)
        for one in found:
            self.same(one, expected, "one of the threads'")

    def test_graph(self):
        """A CUDA graph is captured once, and replayed with new samples."""
        soften = smoothimg.Filter(2.5)
        for shape in ((200, 300), (1080, 1920), (90, 80, 3)):
            source = self.on.put(np.zeros(shape, np.uint8))
            smooth, turned = (
                self.on.put(np.zeros(shape, np.uint8)),
                self.on.put(np.zeros(shape, np.uint8)),
            )
            stream = self.on.stream()

            def calls():
                soften(source, axes=(0, 1), out=smooth)
                smoothimg.reverse(smooth, out=turned)

            self.on.synchronize()
            with self.on.on(stream):
                calls()
            self.on.synchronize()
            with self.on.capture(stream) as replay:
                calls()
            for seed in range(3):
                image = noise(shape, seed=seed)
                source[...] = self.on.put(image)
                self.on.synchronize()
                replay()
                self.on.synchronize()
                self.same(turned, smoothimg.reverse(soften(image, axes=(0, 1))), (shape, seed))
            del replay  # a graph must not be freed while another one is captured


class Torch(Frameworks, unittest.TestCase):
    factory = TorchArrays

    def test_stream_of_an_interface(self):
        """An array that has only __cuda_array_interface__ is read after the work of the stream that this names."""
        image, stream = noise((500, 700)), self.on.stream()
        source, there = self.on.put(image), self.on.put(np.zeros_like(image))
        interface = {**there.__cuda_array_interface__, "version": 3, "stream": stream.cuda_stream}
        given = types.SimpleNamespace(__cuda_array_interface__=interface)
        smoothimg.gaussian_filter(there, 2)  # allocates the memory that the call below needs
        self.on.synchronize()
        with self.on.on(stream):
            self.on.work()
            there[...] = source
        with mock.patch.dict(sys.modules, {"cupy": None}):
            found = smoothimg.gaussian_filter(given, 2)
        self.same(found, smoothimg.gaussian_filter(image, 2), "on the interface's stream")


class Cupy(Frameworks, unittest.TestCase):
    factory = CupyArrays


if __name__ == "__main__":
    ended = unittest.main(exit=False).result
    for test, reason in ended.skipped:
        print(f"skipped: {reason}")
    print(
        f"{ended.testsRun} tests run, {len(ended.skipped)} skipped, "
        f"{len(ended.failures) + len(ended.errors)} failed"
    )
    sys.exit(1 if not ended.wasSuccessful() else 77 if not ended.testsRun else 0)
