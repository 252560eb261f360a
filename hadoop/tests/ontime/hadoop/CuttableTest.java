package ontime.hadoop;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.junit.Test;

/** Which splits are cut. */
public final class CuttableTest {
  private static final long SPLIT = 1000;
  private final Configuration conf = new Configuration();

  private boolean isCut(InputFormat<?, ?> format, String name) { return isCut(format, name, 0); }

  private boolean isCut(InputFormat<?, ?> format, String name, long begin) {
    FileSplit split = new FileSplit(new Path("file:/in/" + name), begin, SPLIT, null);
    return Cuttable.is(format, split, new JobContextImpl(conf, new JobID()));
  }

  @Test
  public void textIsCutUnlessItIsCompressed() {
    assertTrue(isCut(new TextInputFormat(), "a.txt"));
    assertTrue(isCut(new NLineInputFormat(), "a.txt"));
    assertFalse(isCut(new TextInputFormat(), "a.gz"));
    assertFalse(isCut(new TextInputFormat(), "a.bz2"));
  }

  /** TeraValidate sets it so high, because its mappers compare the first and the last record of a file. */
  @Test
  public void aFileThatTheSmallestSplitSizeKeepsWholeIsNotCut() {
    conf.setLong(FileInputFormat.SPLIT_MINSIZE, SPLIT);
    assertTrue(isCut(new TextInputFormat(), "a.txt"));
    conf.setLong(FileInputFormat.SPLIT_MINSIZE, Long.MAX_VALUE);
    assertFalse(isCut(new TextInputFormat(), "a.txt"));
    assertTrue("the rest of a divided file", isCut(new TextInputFormat(), "a.txt", SPLIT));
  }
}
