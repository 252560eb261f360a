package ontime.hadoop;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;

/** Found by Hadoop's client in this jar: jobs with mapreduce.framework.name=ontime are submitted by OntimeRunner. */
public final class OntimeClientProvider extends ClientProtocolProvider {
  @Override
  public ClientProtocol create(Configuration conf) throws IOException {
    return Keys.FRAMEWORK.equals(conf.get(MRConfig.FRAMEWORK_NAME)) ? new OntimeRunner(conf) : null;
  }

  @Override
  public ClientProtocol create(InetSocketAddress address, Configuration conf) throws IOException {
    return create(conf);
  }

  @Override
  public void close(ClientProtocol protocol) throws IOException {
    if (protocol instanceof OntimeRunner) ((OntimeRunner) protocol).close();
  }
}
