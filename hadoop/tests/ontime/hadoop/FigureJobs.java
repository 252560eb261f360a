package ontime.hadoop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobHistoryUtils;

/**
 * Jobs of PacedMap on a small cluster, for scripts/hadoop-figure: each line of the standard input is one job, its
 * options separated by tabs. What Hadoop's history says of it is printed:
 *
 *   ready
 *   job      STATE SUBMITTED BEGUN ENDED                              the application master began it at BEGUN
 *   attempt  TASK NUMBER STATE LAUNCHED ENDED FIRST_RECORD FROM RECORDS SEALED   instants in ms; -1: never
 *   done
 *
 * Arguments: the number of input files, and how many lines of 100 bytes each has.
 */
public final class FigureJobs {
  private static final PrintStream OUT = System.out;
  private static final Pattern ENDED = Pattern.compile("^Ended (job_\\d+_\\d+)$", Pattern.MULTILINE);

  private final HadoopJobs jobs;
  private int outputs;

  private FigureJobs(HadoopJobs jobs) { this.jobs = jobs; }

  public static void main(String[] arguments) throws Exception {
    System.setOut(System.err);  // Hadoop's classes log there
    try (HadoopJobs cluster = new HadoopJobs()) {
      FigureJobs figure = new FigureJobs(cluster);
      figure.writeInput(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
      OUT.println("ready");
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
      for (String line = in.readLine(); line != null; line = in.readLine()) figure.run(line.split("\t"));
    }
  }

  private void writeInput(int files, int lines) throws IOException {
    String text = ("x".repeat(99) + "\n").repeat(lines);
    for (int file = 0; file < files; ++file) jobs.write(String.format("/paced/%04d", file), text);
  }

  private void run(String[] options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("ontime.hadoop.PacedMap", "-libjars", jobs.plugin()));
    arguments.addAll(Arrays.asList(options));
    String output = "/out-" + ++outputs;
    arguments.addAll(List.of("/paced", output));
    jobs.start(jobs.helpers(), arguments.toArray(new String[0])).waitFor();
    Matcher ended = ENDED.matcher(jobs.lastLog());
    if (!ended.find()) throw new IOException("The job was not carried out: " + jobs.lastLog());
    print(new JobHistoryParser(jobs.fs, historyOf(ended.group(1))).parse());
    jobs.fs.delete(new Path(output), true);
    OUT.println("done");
  }

  /** Hadoop moves it from one directory to the other, so it is looked for until it is seen. */
  private Path historyOf(String job) throws IOException, InterruptedException {
    Configuration conf = jobs.fs.getConf();
    List<String> directories = List.of(JobHistoryUtils.getConfiguredHistoryIntermediateDoneDirPrefix(conf),
        JobHistoryUtils.getConfiguredHistoryServerDoneDirPrefix(conf));
    for (int look = 0; look < 600; ++look) {
      for (String directory : directories) {
        Path found = find(jobs.fs, new Path(directory), job);
        if (found != null) return found;
      }
      Thread.sleep(100);
    }
    throw new IOException("Hadoop has written no history of " + job + ".");
  }

  private static Path find(FileSystem fs, Path directory, String job) throws IOException {
    if (!fs.exists(directory)) return null;
    RemoteIterator<LocatedFileStatus> files = fs.listFiles(directory, true);
    while (files.hasNext()) {
      Path file = files.next().getPath();
      if (file.getName().startsWith(job + "-") && file.getName().endsWith(".jhist")) return file;
    }
    return null;
  }

  private static void print(JobHistoryParser.JobInfo job) {
    say("job", job.getJobStatus(), job.getSubmitTime(), job.getLaunchTime(), job.getFinishTime());
    List<JobHistoryParser.TaskAttemptInfo> attempts = new ArrayList<>();
    job.getAllTasks().values().forEach(task -> attempts.addAll(task.getAllTaskAttempts().values()));
    attempts.sort(Comparator.comparing(JobHistoryParser.TaskAttemptInfo::getAttemptId));
    for (JobHistoryParser.TaskAttemptInfo attempt : attempts) {
      Counters counters = attempt.getCounters() == null ? new Counters() : attempt.getCounters();
      long first = counters.findCounter(PacedMap.COUNTERS, "FIRST_RECORD_MS").getValue();
      say("attempt", attempt.getAttemptId().getTaskID().getId(), attempt.getAttemptId().getId(),
          attempt.getTaskStatus(), attempt.getStartTime(), attempt.getFinishTime(), first == 0 ? -1 : first,
          counters.findCounter(PacedMap.COUNTERS, "FROM").getValue(),
          counters.findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue(),
          counters.findCounter(Keys.GROUP, Keys.SEALED).getValue());
    }
  }

  private static void say(Object... words) {
    StringBuilder line = new StringBuilder();
    for (Object word : words) line.append(line.isEmpty() ? "" : "\t").append(word);
    OUT.println(line);
  }
}
