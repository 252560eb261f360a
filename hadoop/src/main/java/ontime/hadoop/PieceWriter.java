package ontime.hadoop;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/**
 * Writes as the job's own writer. If the attempt was cut, all files in its work directory at the end, whoever has
 * written them there, are its sealed part. Afterwards OntimeCommitter finds them by the name in the part's header.
 */
final class PieceWriter<K, V> extends RecordWriter<K, V> {
  private final RecordWriter<K, V> writer;
  private final AttemptWork work;
  private final Path directory;

  PieceWriter(RecordWriter<K, V> writer, AttemptWork work, Path directory) {
    this.writer = writer;
    this.work = work;
    this.directory = directory;
  }

  @Override
  public void write(K key, V value) throws IOException, InterruptedException { writer.write(key, value); }

  @Override
  public void close(TaskAttemptContext context) throws IOException, InterruptedException {
    work.beginOutput(SealedPiece.taskOf(reporter(context)));
    writer.close(context);
    if (work.isCut()) {
      seal(context);
      work.awaitEnd();
    }
    work.awaitPrefix();
    for (SideFolder.Piece piece : work.prefix()) {
      try (FSDataInputStream in = work.folder().fileSystem().open(work.folder().sealed(piece.begin()))) {
        SealedPiece.readHeader(new DataInputStream(in), piece.end(), reporter(context));
      }
    }
  }

  private void seal(TaskAttemptContext context) throws IOException {
    SideFolder folder = work.folder();
    String files = "files-" + context.getTaskAttemptID();
    FileSystem from = directory.getFileSystem(context.getConfiguration());
    from.mkdirs(directory);  // nothing may have been written
    FileUtil.copy(from, directory, folder.fileSystem(), folder.path(files), false, true, context.getConfiguration());
    Path written = folder.path("new-" + context.getTaskAttemptID());
    try (FSDataOutputStream out = folder.fileSystem().create(written, true)) {
      SealedPiece.writeHeader(out, work.boundary(), SealedPiece.countersOf(reporter(context)));
      out.writeUTF(files);
    }
    work.seal(written);
  }

  private static StatusReporter reporter(TaskAttemptContext context) throws IOException {
    try {
      Field field = TaskAttemptContextImpl.class.getDeclaredField("reporter");
      field.setAccessible(true);
      return (StatusReporter) field.get(inner(context));
    } catch (ReflectiveOperationException | RuntimeException other) {
      throw new IOException("This Hadoop keeps a task's reporter elsewhere than 3.4 does.", other);
    }
  }

  /** Hadoop gives the mapper's context, which is around the task's. */
  private static Object inner(TaskAttemptContext context) throws ReflectiveOperationException {
    if (context instanceof TaskAttemptContextImpl) return context;
    Field field = context.getClass().getDeclaredField("mapContext");
    field.setAccessible(true);
    return field.get(context);
  }
}
