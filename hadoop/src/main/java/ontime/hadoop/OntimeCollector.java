package ontime.hadoop;

import java.io.DataInputStream;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Hadoop's own sort buffer of a map with reducers. An attempt that was cut copies its sorted output beside the job
 * instead of giving it to the reducers; one that resumed adds such output to its own, since reducers fetch from one
 * attempt only.
 */
public final class OntimeCollector<K, V> extends MapTask.MapOutputBuffer<K, V> {
  private JobConf job;
  private StatusReporter reporter;
  private MapOutputFile output;
  private TaskAttemptID attempt;

  @Override
  public void init(MapOutputCollector.Context context) throws IOException, ClassNotFoundException {
    super.init(context);
    job = context.getJobConf();
    reporter = (StatusReporter) context.getReporter();
    output = context.getMapTask().getMapOutputFile();
    attempt = context.getMapTask().getTaskID();
  }

  @Override
  public void flush() throws IOException, ClassNotFoundException, InterruptedException {
    AttemptWork work = AttemptWork.of(attempt);
    if (work != null) work.beginOutput(SealedPiece.taskOf(reporter));
    if (work != null && work.isCut()) {
      super.flush();
      seal(work);
      work.awaitEnd();
    }
    if (work != null) {
      work.awaitPrefix();
      for (SideFolder.Piece piece : work.prefix()) addPiece(work.folder(), piece);
    }
    super.flush();
  }

  /** After the header: where each partition lies in what follows, then the partitions as they lie on the local disk. */
  private void seal(AttemptWork work) throws IOException {
    FileSystem local = FileSystem.getLocal(job).getRaw();
    SpillRecord index = new SpillRecord(output.getOutputIndexFile(), job);
    Path written = work.folder().path("new-" + attempt);
    try (FSDataOutputStream out = work.folder().fileSystem().create(written, true);
        FSDataInputStream in = local.open(output.getOutputFile())) {
      SealedPiece.writeHeader(out, work.boundary(), SealedPiece.countersOf(reporter));
      out.writeInt(index.size());
      for (int partition = 0; partition < index.size(); ++partition) {
        IndexRecord record = index.getIndex(partition);
        out.writeLong(record.startOffset);
        out.writeLong(record.partLength);
      }
      IOUtils.copyBytes(in, out, job, false);
    }
    work.seal(written);
  }

  private void addPiece(SideFolder folder, SideFolder.Piece piece) throws IOException {
    Counter records = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    Counter bytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
    try (FSDataInputStream in = folder.fileSystem().open(folder.sealed(piece.begin()))) {
      SealedPiece.readHeader(new DataInputStream(in), piece.end(), reporter);
      long recordsWith = records.getValue();
      long bytesWith = bytes.getValue();
      int partitions = in.readInt();
      if (partitions != job.getNumReduceTasks()) throw new IOException("A sealed part is of another job.");
      long[] begins = new long[partitions];
      long[] lengths = new long[partitions];
      for (int partition = 0; partition < partitions; ++partition) {
        begins[partition] = in.readLong();
        lengths[partition] = in.readLong();
      }
      long data = in.getPos();
      for (int partition = 0; partition < partitions; ++partition) {
        in.seek(data + begins[partition]);
        addPartition(in, lengths[partition], partition);
      }
      records.setValue(recordsWith);  // counted when they were mapped; `collect` has counted them again
      bytes.setValue(bytesWith);
    }
  }

  @SuppressWarnings("unchecked")
  private void addPartition(FSDataInputStream in, long length, int partition) throws IOException {
    SerializationFactory serializations = new SerializationFactory(job);
    Deserializer<K> keys = serializations.getDeserializer((Class<K>) job.getMapOutputKeyClass());
    Deserializer<V> values = serializations.getDeserializer((Class<V>) job.getMapOutputValueClass());
    DataInputBuffer key = new DataInputBuffer();
    DataInputBuffer value = new DataInputBuffer();
    keys.open(key);
    values.open(value);
    IFile.Reader<K, V> reader = new IFile.Reader<>(job, in, length, codec(), null);
    while (reader.nextRawKey(key)) {
      reader.nextRawValue(value);
      collect(keys.deserialize(null), values.deserialize(null), partition);
    }
  }

  private CompressionCodec codec() {
    if (!job.getCompressMapOutput()) return null;
    return ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job);
  }
}
