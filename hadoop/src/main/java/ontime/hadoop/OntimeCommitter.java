package ontime.hadoop;

import java.io.DataInputStream;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;

/**
 * Hadoop's committer. Of a task that was cut it commits the sealed parts with the output of the attempt that resumed:
 * copies, since another attempt may have to commit them if this one dies. part-m-00003 is then part-m-00003-0000 and so
 * on, so the files are still in the order of the input.
 */
public final class OntimeCommitter extends FileOutputCommitter {
  public OntimeCommitter(Path output, TaskAttemptContext context) throws IOException { super(output, context); }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
    AttemptWork work = AttemptWork.of(context.getTaskAttemptID());
    return work != null && !work.prefix().isEmpty() || super.needsTaskCommit(context);
  }

  @Override
  public void commitTask(TaskAttemptContext context) throws IOException {
    AttemptWork work = AttemptWork.of(context.getTaskAttemptID());
    if (work != null && !work.prefix().isEmpty()) addPieces(work, context);
    super.commitTask(context);
  }

  private void addPieces(AttemptWork work, TaskAttemptContext context) throws IOException {
    Path directory = getWorkPath();
    FileSystem fs = directory.getFileSystem(context.getConfiguration());
    fs.mkdirs(directory);
    int last = work.prefix().size();
    renameAll(fs, directory, last);
    for (int number = 0; number < last; ++number) {
      SideFolder folder = work.folder();
      Path files = folder.path(filesOf(folder, work.prefix().get(number)));
      copyAll(folder.fileSystem(), files, fs, directory, number);
    }
  }

  /** With those in subdirectories, where MultipleOutputs may write. */
  static void renameAll(FileSystem fs, Path directory, int number) throws IOException {
    for (FileStatus own : fs.listStatus(directory)) {
      if (own.isDirectory()) {
        renameAll(fs, own.getPath(), number);
      } else if (!fs.rename(own.getPath(), new Path(directory, numbered(own.getPath().getName(), number)))) {
        throw new IOException("Could not rename " + own.getPath());
      }
    }
  }

  static void copyAll(FileSystem from, Path files, FileSystem fs, Path directory, int number) throws IOException {
    for (FileStatus file : from.listStatus(files)) {
      String name = file.getPath().getName();
      if (file.isDirectory()) {
        Path below = new Path(directory, name);
        fs.mkdirs(below);
        copyAll(from, file.getPath(), fs, below, number);
      } else {
        Path to = new Path(directory, numbered(name, number));
        FileUtil.copy(from, file.getPath(), fs, to, false, true, fs.getConf());
      }
    }
  }

  private static String filesOf(SideFolder folder, SideFolder.Piece piece) throws IOException {
    try (FSDataInputStream in = folder.fileSystem().open(folder.sealed(piece.begin()))) {
      SealedPiece.readHeader(new DataInputStream(in), piece.end(), new Nobody());
      return in.readUTF();
    }
  }

  /** Before an ending such as .gz, by which readers know what is in the file. */
  static String numbered(String name, int number) {
    int dot = name.indexOf('.');
    String stem = dot < 0 ? name : name.substring(0, dot);
    return String.format("%s-%04d%s", stem, number, name.substring(stem.length()));
  }

  /** The counters were added when the attempt's writer was closed. */
  static final class Nobody extends StatusReporter {
    private final org.apache.hadoop.mapreduce.Counters counters = new org.apache.hadoop.mapreduce.Counters();

    @Override
    public org.apache.hadoop.mapreduce.Counter getCounter(Enum<?> name) { return counters.findCounter(name); }

    @Override
    public org.apache.hadoop.mapreduce.Counter getCounter(String group, String name) {
      return counters.findCounter(group, name);
    }

    @Override
    public void progress() {}

    @Override
    public float getProgress() { return 0; }

    @Override
    public void setStatus(String status) {}
  }
}
