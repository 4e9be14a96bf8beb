# SPDX-License-Identifier: MIT
"""Tests Zarr arrays as if they were larger than memory: how much memory a filter uses, and that any number of processes
gives the same bytes, even if some of them die."""

import hashlib
import importlib.util
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

import numpy as np
from common import need, noise

need("dask", "distributed", "zarr")
import dask  # noqa: E402
import zarr  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402

import smoothimg  # noqa: E402
import smoothimg.dask  # noqa: E402

README = Path(__file__).parents[1] / "README.md"
OWN = 8 << 20  # bytes that Dask, its task graph, and ten chunks that Zarr decodes at once may take

# A program that filters a Zarr array into another. Prints by how many bytes its peak memory exceeds its memory before
# the filter, and the sizes of a Dask chunk along each axis.
MEASURE = """
import sys
import dask, dask.array, zarr
import smoothimg.dask

def memory(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))

def store(source, target):
    smooth = smoothimg.dask.gaussian_filter(source, int(sys.argv[4]))
    dask.array.store(smooth, target, lock=False)
    return smooth.chunksize

source, target = zarr.open_array(sys.argv[1], mode="r"), zarr.open_array(sys.argv[2])
dask.config.set({"scheduler": "synchronous", "array.chunk-size": sys.argv[3]})
small = zarr.ones(shape=(40,) * source.ndim, chunks=(20,) * source.ndim, dtype=source.dtype)
store(small, zarr.zeros_like(small))  # what is loaded and allocated once
before = memory("VmRSS:")
extents = store(source, target)
print(memory("VmHWM:") - before, *extents)
"""


def cluster_of(workers):
    """Returns a cluster of processes with one thread each."""
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    )


def wait_a_little(block):
    time.sleep(0.05)
    return block


class Volumes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # With this size a Dask chunk contains several Zarr chunks. Dask gives a task up if it loses more than 9
        # workers, and the test kills fewer.
        config = {"array.chunk-size": "200kB", "distributed.scheduler.allowed-failures": 9}
        setting = dask.config.set(config)
        self.addCleanup(setting.__exit__, None, None, None)

    def array(self, name, shape, chunks, dtype=np.uint8):
        return zarr.create_array(self.folder / name, shape=shape, chunks=chunks, dtype=dtype)

    def check_memory(self, shape, chunks, dtype, chunk, sigma):
        """Checks the peak memory of a filter. chunk: Dask's setting array.chunk-size. The radius is 4 times sigma."""
        source = self.array("source", shape, chunks, dtype)
        rows = np.arange(shape[1]).astype(dtype).reshape([-1] + [1] * (len(shape) - 2))
        for begin in range(0, shape[0], chunks[0]):
            source[begin : begin + chunks[0]] = np.broadcast_to(rows, (chunks[0], *shape[1:]))
        target = self.array("target", shape, chunks, dtype)
        words = (self.folder / "source", self.folder / "target", chunk, str(sigma))
        ended = subprocess.run(
            [sys.executable, "-c", MEASURE, *words],
            # As in Dask's workers, malloc returns freed memory to the system. Meson sets MALLOC_PERTURB_, with which
            # malloc would write to memory that the program does not use, and the peak would be higher.
            env={**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_PERTURB_": "0"},
            stdout=subprocess.PIPE,
            check=True,
        )
        found, *extents = map(int, ended.stdout.split())
        around = int(np.prod([extent + 8 * sigma for extent in extents])) * source.dtype.itemsize
        self.assertGreater(source.nbytes, 4 * around)
        self.assertLess(found, 2 * around + OWN)
        corner = (slice(0, 20),) * len(shape)
        seen = source[(slice(0, 20 + 4 * sigma),) * len(shape)]
        smooth = smoothimg.gaussian_filter(seen, sigma)[corner]
        self.assertTrue(np.array_equal(target[corner], smooth))

    def test_memory(self):
        """Tests an image of 100 MB and a volume of 200 MB."""
        self.check_memory((10240, 10240), (512, 512), np.uint8, "16MiB", 8)
        self.folder /= "volume"
        self.check_memory((200, 512, 1024), (50, 64, 256), np.uint16, "25MiB", 2)


    def bytes_of(self, array, name, chunks):
        """Writes levels of a pyramid, a Laplacian and a gradient as Zarr arrays. Returns a digest of each."""
        source = self.array(f"{name}-source", array.shape, chunks, array.dtype)
        source[...] = array
        levels = [
            *smoothimg.dask.pyramid(source, 3)[1:],
            smoothimg.dask.gaussian_laplace(source, 2, mode="wrap", output="f4"),
            smoothimg.dask.gaussian_gradient_magnitude(source, (1, 3, 2), output="f8"),
        ]
        found = []
        for number, level in enumerate(levels):
            shape, extents = level.shape, level.chunksize
            target = self.array(f"{name}-{number}", shape, extents, level.dtype)
            dask.array.store(level, target, lock=False)
            found.append(hashlib.sha256(target[...].tobytes()).hexdigest())
        return found

    def test_chunks_and_processes(self):
        array = noise((40, 150, 131), np.uint16)
        smaller = smoothimg.gaussian_filter(array, 1)[::2, ::2, ::2]
        whole = (
            smaller,
            smoothimg.gaussian_filter(smaller, 1)[::2, ::2, ::2],
            smoothimg.gaussian_laplace(array, 2, mode="wrap", output="f4"),
            smoothimg.gaussian_gradient_magnitude(array, (1, 3, 2), output="f8"),
        )
        expected = [hashlib.sha256(one.tobytes()).hexdigest() for one in whole]
        for workers in (1, 2, 4):
            with cluster_of(workers) as cluster, Client(cluster):
                for chunks in ((16, 50, 64), (7, 33, 131), (40, 20, 31)):
                    found = self.bytes_of(array, f"{workers}-{chunks}", chunks)
                    self.assertEqual(found, expected, (workers, chunks))

    def test_killed_workers(self):
        """Dask starts a new process for each killed one. Chunks that a killed process did not finish are written
        again, by any process."""
        array = noise((600, 700), np.uint16)
        source = self.array("source", array.shape, (50, 50), array.dtype)
        source[...] = array
        target = self.array("target", array.shape, (50, 50), array.dtype)
        with dask.config.set({"array.chunk-size": "5kB"}):
            smooth = smoothimg.dask.gaussian_filter(source, 3)
        self.assertEqual(smooth.npartitions, 12 * 14)
        rng, killed = random.Random(4), []
        with cluster_of(2) as cluster, Client(cluster) as client:
            slow = smooth.map_blocks(wait_a_little, dtype=array.dtype)
            future = client.compute(dask.array.store(slow, target, lock=False, compute=False))
            while not future.done():
                time.sleep(rng.uniform(0.1, 0.6))
                pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
                if pids and len(killed) < 5:
                    killed.append(rng.choice(pids))
                    os.kill(killed[-1], signal.SIGKILL)
            future.result()
        self.assertGreaterEqual(len(killed), 3)
        self.assertTrue(np.array_equal(target[...], smoothimg.gaussian_filter(array, 3)))

    @unittest.skipUnless(importlib.util.find_spec("h5py"), "there is no h5py")
    def test_hdf5(self):
        import h5py

        array = noise((90, 70, 3))
        with h5py.File(self.folder / "array.h5", "w") as file:
            for chunks in ((16, 16, 3), None):
                stored = file.create_dataset(f"of {chunks}", data=array, chunks=chunks)
                with dask.config.set({"array.chunk-size": "3kB", "scheduler": "threads"}):
                    smooth = smoothimg.dask.gaussian_filter(stored, 2, axes=(0, 1))
                    self.assertGreater(smooth.npartitions, 4)
                    found = smooth.compute()
                whole = smoothimg.gaussian_filter(array, 2, axes=(0, 1))
                self.assertTrue(np.array_equal(found, whole))


class Clusters(unittest.TestCase):
    """Runs the README's programs for clusters of Slurm and Kubernetes, but with fewer workers, and in a temporary
    folder."""

    def run_example(self, kind, *changes):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        blocks = re.findall(r"^```py\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
        (text,) = [block for block in blocks if kind in block]
        places = [("/scratch", str(self.folder)), ("s3://bucket", str(self.folder))]
        for old, new in (*changes, *[one for one in places if one[0] in text]):
            self.assertIn(old, text)
            text = text.replace(old, new)
        array = noise((8, 70, 61))
        made = zarr.create_array(
            self.folder / "volume.zarr", shape=array.shape, chunks=(8, 16, 16), dtype=array.dtype
        )
        made[...] = array
        exec(compile(text, kind, "exec"), {})
        group = zarr.open_group(self.folder / "pyramid.zarr", mode="r")
        for name in "01234":
            self.assertTrue(np.array_equal(group[name][...], array))
            array = smoothimg.gaussian_filter(array, 1, axes=(1, 2))[:, ::2, ::2]

    @unittest.skipUnless(importlib.util.find_spec("dask_jobqueue"), "there is no dask-jobqueue")
    def test_slurm(self):
        """Runs the program for Slurm. A script takes the place of sbatch, and starts the jobs on this machine."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (
                # Reads the job's script at once, because dask-jobqueue deletes it as soon as sbatch has ended.
                ("sbatch", 'job=$(cat "$1")\nsh -c "$job" >/dev/null 2>&1 & echo Submitted batch job $!'),
                ("scancel", 'kill "$@" 2>/dev/null; true'),
            ):
                (Path(folder) / name).write_text(f"#!/bin/sh\n{text}\n")
                (Path(folder) / name).chmod(0o755)
            path = {"PATH": f"{folder}:{os.environ['PATH']}"}
            with unittest.mock.patch.dict(os.environ, path):
                few = "cores=1, processes=1, interface='lo', local_directory='/scratch'"
                self.run_example(
                    "SLURMCluster", ("cores=16, processes=16", few), ("jobs=8", "jobs=2")
                )

    @unittest.skipUnless(importlib.util.find_spec("dask_kubernetes"), "there is no dask-kubernetes")
    def test_kubernetes(self):
        """Runs the program for Kubernetes with processes on this machine in place of pods."""
        from dask_kubernetes.operator import make_cluster_spec

        def cluster(**named):
            spec = make_cluster_spec(**named)["spec"]["worker"]
            (container,) = spec["spec"]["containers"]
            limits = {"cpu": "1", "memory": "2Gi"}
            self.assertEqual((spec["replicas"], container["resources"]["limits"]), (64, limits))
            return cluster_of(2)

        with unittest.mock.patch("dask_kubernetes.operator.KubeCluster", cluster):
            self.run_example("KubeCluster")


if __name__ == "__main__":
    unittest.main()
