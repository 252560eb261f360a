package ontime.hadoop;

import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * What the attempts of one task tell each other, in the job's staging directory on its own file system. It goes with
 * the job and outlives an application master. Pieces of the split are named by their begin, and a file appears whole or
 * not at all:
 *
 *   cut-NUMBER        the application master asks this attempt to stop at an offset
 *   accepted-BEGIN    an attempt that began there will seal up to this offset: later attempts begin at it
 *   sealed-BEGIN      what it has mapped: end, counters, output (OntimeCollector, PieceWriter). The first one counts.
 */
final class SideFolder {
  private final FileSystem fs;
  private final FileContext files;
  private final Path folder;

  SideFolder(Configuration conf, int task) throws IOException {
    Path root = root(conf);
    folder = new Path(root, "task-" + task);
    fs = folder.getFileSystem(conf);
    files = FileContext.getFileContext(fs.getUri(), conf);
  }

  static Path root(Configuration conf) { return new Path(conf.get(MRJobConfig.MAPREDUCE_JOB_DIR), "ontime"); }

  FileSystem fileSystem() { return fs; }

  Path path(String name) { return new Path(folder, name); }

  Path sealed(long begin) { return path("sealed-" + begin); }

  private Set<String> names() throws IOException {
    Set<String> names = new HashSet<>();
    try {
      for (FileStatus status : fs.listStatus(folder)) names.add(status.getPath().getName());
    } catch (FileNotFoundException none) {
      // nothing has been cut
    }
    return names;
  }

  /** A part of the split that another attempt has mapped or is about to seal: later ones add it to their output. */
  record Piece(long begin, long end) {}

  /**
   * The pieces from there on, side by side, as far as they are sealed or promised. Behind them is what is to be mapped.
   */
  List<Piece> follow(long from, long end) throws IOException {
    List<Piece> pieces = new ArrayList<>();
    Set<String> names = names();
    while (true) {
      long next = names.contains("sealed-" + from) ? sealedEnd(from)
          : names.contains("accepted-" + from) ? accepted(from) : -1;
      if (next <= from || next >= end) return pieces;
      pieces.add(new Piece(from, next));
      from = next;
    }
  }

  void orderCut(int attempt, long at) throws IOException { putNew("cut-" + attempt, Long.toString(at)); }

  /** The offset at which this attempt is to stop, or -1. */
  long orderedCut(int attempt) throws IOException { return number("cut-" + attempt); }

  /** False if another attempt that began at the same place has promised another end. */
  boolean accept(long begin, long end, int attempt) throws IOException {
    return putNew("accepted-" + begin, end + " " + attempt) || accepted(begin) == end;
  }

  /** The piece that this attempt has promised, or null. */
  Piece promisedBy(int attempt) throws IOException {
    for (String name : names()) {
      if (!name.startsWith("accepted-")) continue;
      String[] promise = content(name).split(" ");
      if (promise.length != 2 || !promise[1].equals(Integer.toString(attempt))) continue;
      return new Piece(Long.parseLong(name.substring("accepted-".length())), Long.parseLong(promise[0]));
    }
    return null;
  }

  /** The end of the piece that is being sealed, or -1. */
  long accepted(long begin) throws IOException { return number("accepted-" + begin); }

  void withdraw(long begin) throws IOException { fs.delete(path("accepted-" + begin), false); }

  /** The end of the sealed piece that begins there, or -1. */
  long sealedEnd(long begin) throws IOException {
    try (FSDataInputStream in = fs.open(sealed(begin))) {
      return new DataInputStream(in).readLong();
    } catch (FileNotFoundException none) {
      return -1;
    }
  }

  /** Makes a written file the piece's. False if another attempt has sealed one that begins there. */
  boolean seal(Path written, long begin) throws IOException { return moveNew(written, sealed(begin)); }

  private long number(String name) throws IOException {
    try {
      String text = content(name);
      return text.isEmpty() ? -1 : Long.parseLong(text.split(" ")[0]);
    } catch (NumberFormatException strange) {
      throw new IOException(path(name) + " holds no number.", strange);
    }
  }

  /** Empty if there is no such file. */
  private String content(String name) throws IOException {
    try (FSDataInputStream in = fs.open(path(name))) {
      return new String(in.readNBytes(64), StandardCharsets.US_ASCII);
    } catch (FileNotFoundException none) {
      return "";
    }
  }

  private boolean putNew(String name, String value) throws IOException {
    fs.mkdirs(folder);
    Path written = path("new-" + java.util.UUID.randomUUID());
    try (FSDataOutputStream out = fs.create(written, false)) {
      out.write(value.getBytes(StandardCharsets.US_ASCII));
    }
    return moveNew(written, path(name));
  }

  private boolean moveNew(Path from, Path to) throws IOException {
    try {
      files.rename(from, to, Options.Rename.NONE);
      return true;
    } catch (FileAlreadyExistsException exists) {
      fs.delete(from, false);
      return false;
    }
  }
}
