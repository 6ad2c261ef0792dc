package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;

/**
 * Runs all cases of one candidate in a JVM that serves nobody else, and stops at the first that is odd. The request comes on
 * standard input, replies go to file descriptor 3. Arguments: the main class and the jars of the tree joined by colons.
 */
public final class CaseRunner {
    private CaseRunner() {}

    public static void main(String[] arguments) throws Exception {
        java.lang.ref.Cleaner.create(); // its thread must not count as left over by the first run that needs one
        DataInputStream request = new DataInputStream(new ByteArrayInputStream(System.in.readAllBytes()));
        System.in.close();
        DataOutputStream out = new DataOutputStream(new FileOutputStream(Channel.descriptor(3)));
        byte[] nonce = Channel.read(request);
        int outputLimit = request.readInt();
        ClassSet candidate = new ClassSet(request, null);
        Program program = new Program(arguments[0], arguments[1]);
        boolean odd = false;
        for (int left = request.readInt(); left > 0 && !odd; left--) {
            byte[] stdin = Channel.read(request);
            long startWall = System.nanoTime();
            Channel.Reply reply = new Channel.Reply();
            if (candidate.misfit().isEmpty()) {
                reply = program.run(candidate.classes, stdin, outputLimit);
            } else {
                reply.odd = candidate.misfit();
            }
            reply.wallNanos = System.nanoTime() - startWall;
            Channel.write(out, reply.encoded(nonce));
            odd = !reply.odd.isEmpty() || !reply.tainted.isEmpty();
        }
        Runtime.getRuntime().halt(0);
    }
}
