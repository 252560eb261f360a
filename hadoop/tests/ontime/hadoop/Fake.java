package ontime.hadoop;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** A stand-in for one of the application master's own objects, which answers what a test needs and nothing else. */
final class Fake {
  private Fake() {}

  /** Answers by the names of methods, whatever their arguments are. */
  static <T> T of(Class<T> type, Map<String, Supplier<?>> answers) {
    Map<String, Function<Object[], ?>> all = new HashMap<>();
    answers.forEach((name, answer) -> all.put(name, arguments -> answer.get()));
    return withArguments(type, all);
  }

  static <T> T withArguments(Class<T> type, Map<String, Function<Object[], ?>> answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
      Function<Object[], ?> answer = answers.get(method.getName());
      if (answer == null) throw new UnsupportedOperationException(type.getSimpleName() + "." + method.getName());
      return answer.apply(arguments);
    }));
  }
}
