package ontime.hadoop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.Test;

/** Attempts that are cut and resumed anywhere read every record of their split once, as Hadoop's reader does. */
public final class PartReaderTest {
  private final File directory = temporary();
  private final Random random = new Random(seed());

  private static long seed() {
    String said = System.getenv("ONTIME_TEST_SEED");
    long seed = said == null ? System.nanoTime() : Long.parseLong(said);
    System.out.println("ONTIME_TEST_SEED=" + seed);
    return seed;
  }

  private static File temporary() {
    try {
      return Files.createTempDirectory("ontime-reader").toFile();
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private TaskAttemptContext attempt(int number, String job) {
    Configuration conf = new Configuration();
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, new File(directory, job).toURI().toString());
    conf.setLong(Keys.CHUNK_MIN, 1 + random.nextInt(300));
    conf.set(Keys.POLL, "1ms");
    return new TaskAttemptContextImpl(conf, TaskAttemptID.forName("attempt_1_0001_m_000000_" + number),
        new OntimeCommitter.Nobody());
  }

  private static <K, V> List<String> read(RecordReader<K, V> reader, int most) throws Exception {
    List<String> records = new ArrayList<>();
    while (records.size() < most && reader.nextKeyValue()) {
      records.add(reader.getCurrentKey() + "=" + reader.getCurrentValue());
    }
    return records;
  }

  private static <K, V> List<String> readAll(RecordReader<K, V> reader) throws Exception {
    List<String> records = read(reader, Integer.MAX_VALUE);
    reader.close();
    return records;
  }

  /** Returns the offset at which the attempt will stop, from its split's begin. */
  private static long cut(TaskAttemptContext attempt, int at) throws Exception {
    int number = attempt.getTaskAttemptID().getId();
    new SideFolder(attempt.getConfiguration(), 0).orderCut(number, at);
    while (attempt.getCounter(Keys.GROUP, Keys.ACCEPTED).getValue() == 0) Thread.sleep(1);
    return attempt.getCounter(Keys.GROUP, Keys.ACCEPTED).getValue();
  }

  /** Each attempt is asked to stop somewhere, before it begins or later, until one reaches the end. */
  private <K, V> int assertCutAnywhere(InputFormat<K, V> format, FileSplit split, String job) throws Exception {
    TaskAttemptContext plain = attempt(0, job);
    RecordReader<K, V> whole = format.createRecordReader(split, plain);
    whole.initialize(split, plain);
    List<String> expected = readAll(whole);
    List<String> found = new ArrayList<>();
    for (int number = 0;; ++number) {
      TaskAttemptContext context = attempt(number, job);
      RecordReader<K, V> reader = new PartReader<>(format, split, context);
      reader.initialize(split, context);
      found.addAll(read(reader, random.nextInt(20)));
      cut(context, random.nextInt((int) split.getLength() + 1));
      found.addAll(readAll(reader));
      if (AttemptWork.of(context.getTaskAttemptID()).isCut()) continue;
      assertEquals(expected, found);
      return number;
    }
  }

  private Path file(String name, byte[] content) throws IOException {
    File file = new File(directory, name);
    Files.write(file.toPath(), content);
    return new Path(file.toURI());
  }

  /** A split of 100 lines of 10 bytes, and the reader of an attempt that reads it in chunks of 100 bytes at first. */
  private PartReader<LongWritable, Text> linesReader(TaskAttemptContext attempt) throws Exception {
    attempt.getConfiguration().setLong(Keys.CHUNK_MIN, 100);
    byte[] lines = "123456789\n".repeat(100).getBytes(StandardCharsets.US_ASCII);
    FileSplit split = new FileSplit(file("ten", lines), 0, lines.length, null);
    PartReader<LongWritable, Text> reader = new PartReader<>(new TextInputFormat(), split, attempt);
    reader.initialize(split, attempt);
    return reader;
  }

  @Test(timeout = 300_000)
  public void aCutIsAnsweredWhileAChunkIsRead() throws Exception {
    TaskAttemptContext attempt = attempt(0, "within");
    PartReader<LongWritable, Text> reader = linesReader(attempt);
    assertEquals(3, read(reader, 3).size());
    assertEquals(100, cut(attempt, 20));
    assertEquals(8, readAll(reader).size());  // a line that begins where the chunk ends is its last one
  }

  @Test(timeout = 300_000)
  public void itSaysForHowLongItHasMapped() throws Exception {
    TaskAttemptContext attempt = attempt(0, "mapping");
    PartReader<LongWritable, Text> reader = linesReader(attempt);
    Thread.sleep(20);  // the launch goes on
    reader.getProgress();
    assertEquals(0, attempt.getCounter(Keys.GROUP, Keys.MAPPING_MS).getValue());
    long begun = System.nanoTime();
    assertEquals(3, read(reader, 3).size());
    Thread.sleep(20);
    reader.getProgress();
    long said = attempt.getCounter(Keys.GROUP, Keys.MAPPING_MS).getValue();
    assertTrue("said " + said, 20 <= said && said <= (System.nanoTime() - begun) / 1_000_000);
    assertEquals(said, new MapReport(counters(attempt), 0).mappingMs);
  }

  private static Counters counters(TaskAttemptContext attempt) {
    Counters counters = new Counters();
    for (String name : List.of(Keys.POSITION, Keys.MAPPING_MS)) {
      counters.findCounter(Keys.GROUP, name).setValue(attempt.getCounter(Keys.GROUP, name).getValue());
    }
    return counters;
  }

  @Test(timeout = 300_000)
  public void aCutBehindTheEndOfTheInputIsAnsweredWithItsLength() throws Exception {
    TaskAttemptContext attempt = attempt(0, "end");
    assertEquals(100, readAll(linesReader(attempt)).size());
    assertEquals(1000, cut(attempt, 500));
  }

  @Test(timeout = 300_000)
  public void aPartThatLostTheRaceToBeSealedIsNotReportedAsSealed() throws Exception {
    TaskAttemptContext attempt = attempt(0, "race");
    readAll(linesReaderThatIsCutAt(attempt, 300));
    AttemptWork work = AttemptWork.of(attempt.getTaskAttemptID());
    assertTrue(work.folder().seal(endsAt(work, 200), 0));  // one that was taken for dead
    assertThrows(IOException.class, () -> work.seal(endsAt(work, 300)));
    assertEquals(0, attempt.getCounter(Keys.GROUP, Keys.SEALED).getValue());
  }

  private PartReader<LongWritable, Text> linesReaderThatIsCutAt(TaskAttemptContext attempt, int at) throws Exception {
    PartReader<LongWritable, Text> reader = linesReader(attempt);
    assertEquals(at, cut(attempt, at));
    return reader;
  }

  private static Path endsAt(AttemptWork work, long end) throws IOException {
    Path written = work.folder().path("written-" + end);
    try (DataOutputStream out = new DataOutputStream(work.folder().fileSystem().create(written))) {
      out.writeLong(end);
    }
    return written;
  }

  @Test(timeout = 300_000)
  public void lines() throws Exception {
    int cuts = 0;
    for (int round = 0; round < 20; ++round) {
      StringBuilder text = new StringBuilder();
      for (int line = random.nextInt(400); line >= 0; --line) {
        text.append("x".repeat(random.nextInt(40))).append(random.nextInt(4) == 0 ? "\r\n" : "\n");
      }
      byte[] bytes = text.append("y".repeat(random.nextInt(3) + 1)).toString().getBytes(StandardCharsets.US_ASCII);
      int begin = random.nextInt(bytes.length);
      int length = 1 + random.nextInt(bytes.length - begin);
      FileSplit split = new FileSplit(file("lines-" + round, bytes), begin, length, null);
      cuts += assertCutAnywhere(new TextInputFormat(), split, "lines-job-" + round);
    }
    assertTrue(cuts > 0);
  }

  @Test(timeout = 300_000)
  public void sequenceFiles() throws Exception {
    int cuts = 0;
    for (SequenceFile.CompressionType type : SequenceFile.CompressionType.values()) {
      Path path = new Path(new File(directory, "sequence-" + type).toURI());
      try (SequenceFile.Writer writer = SequenceFile.createWriter(new Configuration(), SequenceFile.Writer.file(path),
          SequenceFile.Writer.keyClass(Text.class), SequenceFile.Writer.valueClass(Text.class),
          SequenceFile.Writer.compression(type), SequenceFile.Writer.syncInterval(2000))) {
        for (int record = 0; record < 5000; ++record) {
          writer.append(new Text("key" + record), new Text("z".repeat(random.nextInt(50)) + random.nextLong()));
          if (record % 500 == 0) writer.sync();
        }
      }
      long length = new File(path.toUri()).length();
      for (int round = 0; round < 3; ++round) {
        cuts += assertCutAnywhere(new SequenceFileInputFormat<Text, Text>(), new FileSplit(path, 0, length, null),
            "sequence-job-" + type + round);
      }
    }
    assertTrue(cuts > 0);
  }
}
