package repairlab.resident;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Requests and replies of a server inside the sandbox, over file descriptor 3; wire.py lays them out. */
final class Channel {
    private Channel() {}

    /** Does what a request asks for. */
    interface Service {
        Reply serve(String verb, DataInputStream body, int outputLimit) throws Exception;
    }

    /** Answers requests until the other end is gone. */
    static void serve(Service service) throws Exception {
        FileDescriptor socket = descriptor(3);
        DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(socket)));
        DataOutputStream out = new DataOutputStream(new FileOutputStream(socket));
        CpuWatch.start();
        try {
            while (true) {
                write(out, answer(service, read(in)));
            }
        } catch (EOFException end) {
            Runtime.getRuntime().halt(0);
        }
    }

    private static byte[] answer(Service service, byte[] request) throws Exception {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(request));
        byte[] nonce = read(in);
        String verb = text(in);
        long cpuNanos = in.readLong();
        int outputLimit = in.readInt();
        DataInputStream body = new DataInputStream(new ByteArrayInputStream(read(in)));
        long startCpu = CpuWatch.cpuNanos();
        long startWall = System.nanoTime();
        CpuWatch.limit(cpuNanos);
        Reply reply = service.serve(verb, body, outputLimit);
        CpuWatch.limit(0);
        reply.cpuNanos = CpuWatch.cpuNanos() - startCpu;
        reply.wallNanos = System.nanoTime() - startWall;
        reply.memoryPages = residentPages();
        return reply.encoded(nonce);
    }

    static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
        FileDescriptor descriptor = new FileDescriptor();
        Field field = FileDescriptor.class.getDeclaredField("fd");
        field.setAccessible(true);
        field.setInt(descriptor, number);
        return descriptor;
    }

    static byte[] read(DataInputStream from) throws IOException {
        byte[] content = new byte[from.readInt()];
        from.readFully(content);
        return content;
    }

    static String text(DataInputStream from) throws IOException {
        return new String(read(from), StandardCharsets.UTF_8);
    }

    static List<String> texts(DataInputStream from) throws IOException {
        List<String> found = new ArrayList<>();
        for (int left = from.readInt(); left > 0; left--) {
            found.add(text(from));
        }
        return found;
    }

    static void write(DataOutputStream to, byte[] content) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream(content.length + 4); // one write, so that a frame is never half sent
        DataOutputStream data = new DataOutputStream(whole);
        data.writeInt(content.length);
        data.write(content);
        whole.writeTo(to);
    }

    static void write(DataOutputStream to, String text) throws IOException {
        write(to, text.getBytes(StandardCharsets.UTF_8));
    }

    /** What came of a request. */
    static final class Reply {
        int exitCode;
        /** Why this says nothing about the candidate, or an empty text. */
        String odd = "";
        byte[] stdout = {};
        byte[] stderr = {};
        byte[] report = {};
        long cpuNanos;
        long wallNanos;
        long memoryPages;

        byte[] encoded(byte[] nonce) throws IOException {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(content);
            write(out, nonce);
            out.writeInt(exitCode);
            write(out, odd);
            write(out, stdout);
            write(out, stderr);
            write(out, report);
            out.writeLong(cpuNanos);
            out.writeLong(wallNanos);
            out.writeLong(memoryPages);
            return content.toByteArray();
        }
    }

    /** Returns how many pages of memory this process holds, or 0 where that cannot be found out. */
    private static long residentPages() {
        try {
            String said = new String(Files.readAllBytes(Path.of("/proc/self/statm")), StandardCharsets.US_ASCII);
            int start = said.indexOf(' ') + 1;
            return Long.parseLong(said.substring(start, said.indexOf(' ', start)));
        } catch (IOException | RuntimeException error) {
            return 0;
        }
    }
}
