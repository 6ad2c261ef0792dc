package repairlab.resident;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;

/** A source file without the bodies of its methods: all that the compiler can need of it for other files. */
final class Declarations {
    private final StringBuilder text = new StringBuilder();

    /** Returns the same text for two versions of a file that differ within method bodies only. */
    static String of(JavaCompiler compiler, JavaFileManager files, List<String> options, JavaFileObject source) throws IOException {
        JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), files, null, options, null, List.of(source));
        Declarations found = new Declarations();
        for (CompilationUnitTree unit : task.parse()) {
            found.add(unit.getPackage(), unit.getImports());
            unit.getTypeDecls().forEach(found::addMember);
        }
        return found.text.toString();
    }

    private void addMember(Tree member) {
        if (member instanceof ClassTree) {
            ClassTree type = (ClassTree) member;
            add(type.getKind(), type.getModifiers(), type.getSimpleName(), type.getTypeParameters());
            add(type.getExtendsClause(), type.getImplementsClause());
            type.getMembers().forEach(this::addMember);
        } else if (member instanceof MethodTree) {
            MethodTree method = (MethodTree) member;
            add(method.getModifiers(), method.getTypeParameters(), method.getReturnType(), method.getName());
            add(method.getParameters(), method.getThrows(), method.getDefaultValue(), method.getBody() == null);
        } else if (member instanceof VariableTree) {
            add(member);
        }
    }

    private void add(Object... parts) {
        for (Object part : parts) {
            text.append(part).append('\n');
        }
    }
}
