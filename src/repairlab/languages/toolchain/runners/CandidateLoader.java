package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Map;

/** The classes of one candidate; a new loader means new static state. Looks where `java` would, and in the same order. */
final class CandidateLoader extends URLClassLoader {
    private final Map<String, byte[]> classes;
    private final ProtectionDomain domain;

    /** Takes class files by name, where they would lie, what comes after them on the class path and what before. */
    CandidateLoader(Map<String, byte[]> classes, URL place, URL[] jars, ClassLoader parent) {
        super(jars, parent);
        this.classes = classes;
        domain = new ProtectionDomain(new CodeSource(place, (Certificate[]) null), null, this, null);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] content = classes.get(name);
        return content == null ? super.findClass(name) : defineClass(name, content, 0, content.length, domain);
    }

    @Override
    public URL findResource(String name) {
        byte[] content = name.endsWith(".class") ? classes.get(name.substring(0, name.length() - 6).replace('/', '.')) : null;
        return content == null ? super.findResource(name) : url(name, content);
    }

    private static URL url(String name, byte[] content) {
        try {
            return new URL("memory", "", -1, "/" + name, new URLStreamHandler() {
                @Override
                protected URLConnection openConnection(URL url) {
                    return new URLConnection(url) {
                        @Override
                        public void connect() {}

                        @Override
                        public InputStream getInputStream() throws IOException {
                            return new ByteArrayInputStream(content);
                        }
                    };
                }
            });
        } catch (MalformedURLException error) {
            throw new IllegalStateException(error);
        }
    }
}
