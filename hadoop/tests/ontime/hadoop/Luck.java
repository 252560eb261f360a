package ontime.hadoop;

/**
 * How much slower an attempt is than the fastest one could be: the same draws as common/injection makes for the same
 * seed, job, task and attempt, so jobs on Hadoop meet the stragglers that the simulator draws.
 */
record Luck(long seed, double beta, double share, double factor) {
  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;
  private static final long STRAGGLER = 1;  // what a draw is for, as in common/injection/draw.cpp
  private static final long SLOWDOWN = 2;
  private static final long JOB = 1;  // each repetition is the first job of its cluster, with a seed of its own

  /** Pareto from 1 on, and `factor` times that if it is the first attempt of one of the job's stragglers. */
  double slowness(int task, int tasks, int attempt) {
    double survival = Math.min(1 - uniform(hash(seed, SLOWDOWN, JOB, task, attempt)), 1 - 0x1p-53);
    double drawn = Math.rint(Math.pow(survival, -1 / beta) * 1e6) / 1e6;
    return attempt == 0 && isStraggler(task, tasks) ? factor * drawn : drawn;
  }

  boolean isStraggler(int task, int tasks) {
    if (share <= 0) return false;
    double wanted = Math.max(Math.ceil(share * tasks - 1e-6), 1);
    return shuffled(task, tasks, hash(seed, STRAGGLER, JOB)) < wanted;
  }

  private static long mixed(long word) {
    word = (word ^ (word >>> 30)) * 0xbf58476d1ce4e5b9L;
    word = (word ^ (word >>> 27)) * 0x94d049bb133111ebL;
    return word ^ (word >>> 31);
  }

  private static long hash(long... words) {
    long state = GOLDEN_GAMMA;
    for (long word : words) state = mixed(state + GOLDEN_GAMMA + mixed(word + GOLDEN_GAMMA));
    return state;
  }

  private static double uniform(long hash) { return (hash >>> 11) * 0x1p-53; }

  private static long shuffled(long index, long count, long key) {
    int half = 4;
    while ((1L << (2 * half)) < count) ++half;
    do {
      index = permuted(index, half, key);
    } while (index >= count);
    return index;
  }

  private static long permuted(long value, int half, long key) {
    long mask = (1L << half) - 1;
    long left = value >>> half;
    long right = value & mask;
    for (long round = 0; round < 6; ++round) {
      long next = left ^ (hash(key, round, right) & mask);
      left = right;
      right = next;
    }
    return left << half | right;
  }
}
