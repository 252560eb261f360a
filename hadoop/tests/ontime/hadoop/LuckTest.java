package ontime.hadoop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public final class LuckTest {
  /** As `ontime experiment lab/scenarios/hadoop.yaml --on sim` has them, in the first repetition. */
  @Test
  public void drawsWhatTheSimulatorDraws() {
    Luck luck = new Luck(1, 2, 0.1, 8);
    double[] originals =
        {1.527639, 9.657619, 1.291433, 1.701648, 1.274372, 12.229056, 1.240108, 1.066111, 1.870239, 1.197407};
    for (int task = 0; task < originals.length; ++task) {
      assertEquals(originals[task], luck.slowness(task, originals.length, 0), 1e-6);
      assertEquals("straggler " + task, task == 5, luck.isStraggler(task, originals.length));
    }
    assertEquals(1.288693, luck.slowness(5, originals.length, 1), 1e-6);
  }
}
