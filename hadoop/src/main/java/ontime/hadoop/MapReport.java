package ontime.hadoop;

import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;

/** What a map attempt has reported: how far its reader is, and what has become of a cut. */
final class MapReport {
  final float progress;
  final long position;
  final long mappingMs;  // 0: not known
  final long accepted;  // 0: none
  final long sealed;
  final long records;
  final boolean hasPosition;  // its reader tells how far it is

  MapReport(Counters counters, float progress) {
    this.progress = progress;
    hasPosition = counters.getGroup(Keys.GROUP).findCounter(Keys.POSITION, false) != null;
    position = ours(counters, Keys.POSITION);
    mappingMs = ours(counters, Keys.MAPPING_MS);
    accepted = ours(counters, Keys.ACCEPTED);
    sealed = ours(counters, Keys.SEALED);
    records = counters.findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue();
  }

  private static long ours(Counters counters, String name) {
    return counters.findCounter(Keys.GROUP, name).getValue();
  }
}
