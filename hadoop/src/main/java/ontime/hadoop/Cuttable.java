package ontime.hadoop;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * Which splits can be cut at an offset: those of formats that read [a, b) and [b, c) as they read [a, c). All of
 * Hadoop's do. An unknown format is believed if it divides its files itself, or if the user names it.
 */
final class Cuttable {
  private static final Set<String> KNOWN = Set.of(
      "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
      "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat",
      "org.apache.hadoop.mapreduce.lib.input.NLineInputFormat",
      "org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat",
      "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat",
      "org.apache.hadoop.mapreduce.lib.input.SequenceFileAsTextInputFormat",
      "org.apache.hadoop.mapreduce.lib.input.SequenceFileAsBinaryInputFormat",
      "org.apache.hadoop.examples.terasort.TeraInputFormat");

  private Cuttable() {}

  static boolean is(InputFormat<?, ?> format, InputSplit split, JobContext context) {
    if (split.getClass() != FileSplit.class || !(format instanceof FileInputFormat)) return false;
    FileSplit part = (FileSplit) split;
    Configuration conf = context.getConfiguration();
    return isTrusted(format, part, conf) && !isCompressed(part.getPath(), conf) && !isKeptWhole(part, context)
        && isSplitable((FileInputFormat<?, ?>) format, part.getPath(), context);
  }

  private static boolean isTrusted(InputFormat<?, ?> format, FileSplit part, Configuration conf) {
    String name = format.getClass().getName();
    return KNOWN.contains(name) || conf.getTrimmedStringCollection(Keys.CUT_FORMATS).contains(name)
        || part.getStart() > 0 || isPartOfFile(part, conf);
  }

  private static boolean isPartOfFile(FileSplit part, Configuration conf) {
    try {
      return part.getLength() < part.getPath().getFileSystem(conf).getFileStatus(part.getPath()).getLen();
    } catch (IOException unavailable) {
      return false;
    }
  }

  /** How TeraValidate sees to it that a mapper gets all records of a file. */
  private static boolean isKeptWhole(FileSplit part, JobContext context) {
    return FileInputFormat.getMinSplitSize(context) > part.getLength() && part.getStart() == 0
        && !isPartOfFile(part, context.getConfiguration());
  }

  private static boolean isCompressed(Path path, Configuration conf) {
    return new CompressionCodecFactory(conf).getCodec(path) != null;
  }

  /** A protected method, which only the format itself knows the answer to. */
  private static boolean isSplitable(FileInputFormat<?, ?> format, Path path, JobContext context) {
    for (Class<?> type = format.getClass(); type != null; type = type.getSuperclass()) {
      try {
        Method method = type.getDeclaredMethod("isSplitable", JobContext.class, Path.class);
        method.setAccessible(true);
        return (Boolean) method.invoke(format, context, path);
      } catch (NoSuchMethodException next) {
        continue;
      } catch (ReflectiveOperationException | RuntimeException unknown) {
        return false;
      }
    }
    return false;
  }
}
