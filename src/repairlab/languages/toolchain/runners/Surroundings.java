package repairlab.resident;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;

/** All that one run could change for the next: most of it is put back, the rest is named. */
final class Surroundings {
    private static final int ENDING_THREADS_MS = 100;

    private final Properties properties = (Properties) System.getProperties().clone();
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final Set<Thread> threads = new HashSet<>(threads());
    private final Map<Path, List<Long>> files;
    private final List<Path> folders;

    Surroundings(List<Path> folders) throws IOException {
        this.folders = folders;
        files = files(folders);
    }

    /** Undoes what can be undone and returns what is left, or an empty text. */
    String restore() throws IOException {
        System.setProperties((Properties) properties.clone());
        Locale.setDefault(locale);
        Locale.setDefault(Locale.Category.DISPLAY, display);
        Locale.setDefault(Locale.Category.FORMAT, format);
        TimeZone.setDefault(null); // that is what the properties say, once it is asked for
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
        Thread.setDefaultUncaughtExceptionHandler(null);
        List<Thread> left = leftOver(ENDING_THREADS_MS);
        if (!left.isEmpty()) {
            return "thread " + left.get(0).getName() + " is left over";
        }
        return files(folders).equals(files) ? "" : "files were left behind";
    }

    /** Waits as a JVM does before it ends: for all threads that are not daemons. */
    void awaitThreads() throws InterruptedException {
        for (List<Thread> waiting = started(false); !waiting.isEmpty(); waiting = started(false)) {
            waiting.get(0).join();
        }
    }

    private List<Thread> leftOver(int patienceMs) {
        List<Thread> left = started(true);
        for (int waited = 0; waited < patienceMs && !left.isEmpty(); waited += 5) {
            try {
                left.get(0).join(5);
            } catch (InterruptedException interrupted) {
                break;
            }
            left = started(true);
        }
        return left;
    }

    private List<Thread> started(boolean daemons) {
        List<Thread> found = new ArrayList<>();
        for (Thread thread : threads()) {
            if (thread.isAlive() && (daemons || !thread.isDaemon()) && !threads.contains(thread)) {
                found.add(thread);
            }
        }
        return found;
    }

    private static List<Thread> threads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] all = new Thread[1024];
        int count = root.enumerate(all, true);
        List<Thread> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            found.add(all[i]);
        }
        return found;
    }

    /** Returns what lies in folders, with sizes and times of files. */
    private static Map<Path, List<Long>> files(List<Path> folders) throws IOException {
        Map<Path, List<Long>> found = new HashMap<>();
        for (Path folder : folders) {
            Files.walkFileTree(folder, new SimpleFileVisitor<Path>() {
                @Override
                public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                    found.put(path, List.of());
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                    found.put(path, List.of(attributes.size(), attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS)));
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path path, IOException error) {
                    found.put(path, List.of());
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        return found;
    }
}
