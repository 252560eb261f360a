package ontime.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * What users set, read and checked. A job is refused at its submission for what cannot be read: later nobody would see
 * why, since a fault of the speculator does not end the job.
 */
final class Settings {
  private static final long LONGEST_MS = Long.MAX_VALUE / 1_000_000;  // the daemon counts nanoseconds

  /** Of the daemon. */
  record Address(String host, int port) {}

  private final Configuration conf;

  Settings(Configuration conf) { this.conf = conf; }

  /** Throws with one sentence about the first that cannot be read. */
  void check() throws IOException {
    try {
      addresses();
      deadlineMs();
      policyParameters();
      pollMs();
      sealWaitMs();
      smallestChunk();
    } catch (IllegalArgumentException unreadable) {
      throw new IOException(unreadable.getMessage(), unreadable);
    }
  }

  /** Of the daemons, one of which leads; empty if there is none. */
  List<Address> addresses() {
    String text = conf.getTrimmed(Keys.MASTER, "");
    List<Address> all = new ArrayList<>();
    if (text.isEmpty()) return all;
    for (String one : text.split(",", -1)) all.add(address(one.strip()));
    return all;
  }

  private static Address address(String text) {
    int colon = text.lastIndexOf(':');
    String port = text.substring(colon + 1);
    if (colon <= 0 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
      throw new IllegalArgumentException(Keys.MASTER + "=" + text + " is not HOST:PORT.");
    }
    return new Address(text.substring(0, colon).replaceAll("^\\[|\\]$", ""), Integer.parseInt(port));
  }

  /** After submission; 0: none. */
  long deadlineMs() {
    return conf.get(Keys.DEADLINE) == null ? 0 : time(Keys.DEADLINE, 0, TimeUnit.SECONDS);
  }

  /** Empty: the daemon's. */
  String policy() { return policyText().split(":", 2)[0]; }

  /** KEY=VALUE,... behind the policy's name, as `ontime run --policy` takes them. */
  Map<String, String> policyParameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    String text = policyText();
    if (text.startsWith(":")) throw new IllegalArgumentException(Keys.POLICY + "=" + text + " names no policy.");
    if (!text.contains(":")) return parameters;
    for (String parameter : text.split(":", 2)[1].split(",", -1)) {
      int equals = parameter.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException(
            Keys.POLICY + "=" + text + " is not NAME or NAME:KEY=VALUE,...: \"" + parameter + "\" is not KEY=VALUE.");
      }
      parameters.put(parameter.substring(0, equals), parameter.substring(equals + 1));
    }
    return parameters;
  }

  private String policyText() { return conf.getTrimmed(Keys.POLICY, ""); }

  /** How often an attempt looks for a cut. */
  long pollMs() { return Math.max(10, time(Keys.POLL, 1000, TimeUnit.MILLISECONDS)); }

  long sealWaitMs() { return time(Keys.SEAL_WAIT, 600_000, TimeUnit.SECONDS); }

  long smallestChunk() {
    String text = conf.getTrimmed(Keys.CHUNK_MIN, "4096");
    if (!text.matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException(Keys.CHUNK_MIN + "=" + text + " is no number.");
    }
    return Math.max(1, Long.parseLong(text));
  }

  private long time(String key, long otherwise, TimeUnit unit) {
    long ms = -1;
    try {
      ms = conf.get(key) == null ? otherwise : conf.getTimeDuration(key, 0, unit, TimeUnit.MILLISECONDS);
    } catch (NumberFormatException unreadable) {
      // said below
    }
    if (ms > 0 && ms < LONGEST_MS) return ms;
    throw new IllegalArgumentException(key + "=" + conf.get(key) + " is not a time such as 90s or 5m.");
  }
}
