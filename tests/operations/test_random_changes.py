"""Whatever has changed since, and wherever builds were killed, the dataset is that of a new build."""

from hypothesis import given, settings
from hypothesis import strategies as st

LAYOUTS = st.fixed_dictionaries(
    {
        "num_shards": st.integers(1, 5),
        "shuffle": st.booleans(),
        "splits": st.sampled_from([None, "train=1/2,test=1/2"]),
        "schema": st.sampled_from(["raw", "kaggle", "imagenet"]),
        "index": st.booleans(),
    }
)
PATHS = st.sampled_from([f"in/{name}/{number}.png" for name in "abc" for number in range(3)])
STEPS = st.lists(
    st.tuples(
        st.dictionaries(PATHS, st.none() | st.integers(0, 3), max_size=4),  # None removes the image
        LAYOUTS,
        st.none() | st.integers(1, 25),  # the write at which the build is killed
    ),
    min_size=1,
    max_size=5,
)


@given(steps=STEPS)
@settings(max_examples=60)
def test_a_rebuild_gives_what_a_new_build_gives(make_mortal_bench, steps):
    bench = make_mortal_bench()
    for changes, layout, num_writes in steps:
        for path, colour in changes.items():
            if colour is None:
                bench.files.pop(path, None)
            else:
                bench.files[path] = bench.png(colour, colour, 9)
        bench.storage.num_writes = num_writes
        try:
            bench.build(**layout)
        except bench.killed:
            bench.storage.num_writes = None
            continue
        bench.storage.num_writes = None

        assert bench.fresh(**layout) == bench.tree()
        assert () == bench.check(**layout)
