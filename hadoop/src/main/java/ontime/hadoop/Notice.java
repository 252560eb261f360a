package ontime.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether Ontime plans a job, and why not: a file in its staging directory, which its application master writes and its
 * client shows. Without it only the application master's log would tell.
 */
final class Notice {
  private static final Logger LOG = LoggerFactory.getLogger(Notice.class);
  private static final int LENGTH_MAX = 4096;  // in bytes, with the sign before it and the line's end
  private static final String GOOD = "+";  // how the file begins if Ontime plans

  private final FileSystem fs;
  private final Path file;
  private String shown = "";

  Notice(Configuration conf, Path staging) throws IOException {
    file = new Path(new Path(staging, "ontime"), "notice");
    fs = file.getFileSystem(conf);
  }

  /** A job's speculation is not worth its end, so what cannot be written is not. */
  void write(boolean plans, String sentence) {
    try (FSDataOutputStream out = fs.create(file, true)) {
      out.write((plans ? GOOD : "-").getBytes(StandardCharsets.UTF_8));
      byte[] text = sentence.replace('\n', ' ').getBytes(StandardCharsets.UTF_8);
      out.write(text, 0, lengthOfWhole(text, LENGTH_MAX - 2));
      out.write('\n');
    } catch (IOException unavailable) {
      LOG.warn("The client is not told: " + unavailable.getMessage());
    }
  }

  /** How many bytes of UTF-8 to keep so that no character is cut. */
  private static int lengthOfWhole(byte[] text, int most) {
    if (text.length <= most) return text.length;
    int length = most;
    while (length > 0 && (text[length] & 0xC0) == 0x80) --length;  // in the middle of a character
    return length;
  }

  /** Empty if there is nothing whole. */
  private String read() throws IOException {
    try (FSDataInputStream in = fs.open(file)) {
      String text = new String(in.readNBytes(LENGTH_MAX), StandardCharsets.UTF_8);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : "";
    } catch (FileNotFoundException none) {
      return "";
    }
  }

  /** Logs it if it is news. */
  boolean show() {
    try {
      String text = read();
      if (text.isEmpty() || text.equals(shown)) return false;
      shown = text;
      if (text.startsWith(GOOD)) LOG.info(text.substring(1));
      else LOG.warn(text.substring(1));
      return true;
    } catch (IOException unavailable) {
      LOG.debug("Nothing is known of who plans the job", unavailable);
      return false;
    }
  }
}
