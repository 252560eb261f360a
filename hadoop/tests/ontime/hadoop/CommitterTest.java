package ontime.hadoop;

import static org.junit.Assert.assertEquals;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.Test;

/** How the files of a task's parts are named when they are committed together. */
public final class CommitterTest {
  @Test
  public void filesInSubdirectoriesAreNumberedWhereTheyAre() throws Exception {
    FileSystem fs = FileSystem.getLocal(new Configuration());
    Path top = new Path(Files.createTempDirectory("ontime-committer").toUri());
    Path sealed = new Path(top, "sealed");
    Path work = new Path(top, "work");
    for (String name : new String[] {"part-m-00003", "below/odd-m-00003.gz"}) fs.create(new Path(sealed, name)).close();
    for (String name : new String[] {"part-m-00003", "below/odd-m-00003.gz", "below/further/even-m-00003"}) {
      fs.create(new Path(work, name)).close();
    }
    OntimeCommitter.renameAll(fs, work, 1);
    OntimeCommitter.copyAll(fs, sealed, fs, work, 0);
    List<String> names = new ArrayList<>();
    for (RemoteIterator<LocatedFileStatus> files = fs.listFiles(work, true); files.hasNext();) {
      names.add(work.toUri().relativize(files.next().getPath().toUri()).getPath());
    }
    names.sort(null);
    assertEquals(List.of("below/further/even-m-00003-0001", "below/odd-m-00003-0000.gz", "below/odd-m-00003-0001.gz",
        "part-m-00003-0000", "part-m-00003-0001"), names);
  }
}
