package repairlab.resident;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.Writer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;

/** A source file without the bodies of its methods and without values that are no constants: all that other files can need of it. */
final class Declarations {
    private static final Set<Tree.Kind> MADE_AT_RUN_TIME = EnumSet.of(
            Tree.Kind.NEW_CLASS, Tree.Kind.NEW_ARRAY, Tree.Kind.METHOD_INVOCATION, Tree.Kind.LAMBDA_EXPRESSION, Tree.Kind.MEMBER_REFERENCE);

    private final StringBuilder text = new StringBuilder();

    /** Returns the same text for two versions of a file that differ within method bodies and values of fields only. */
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
            VariableTree field = (VariableTree) member;
            add(field.getModifiers(), field.getType(), field.getName());
            addValue(field.getInitializer());
        }
    }

    /** Adds a value as far as it could be put into other files; of what is made at run time, only whether a class comes with it. */
    private void addValue(ExpressionTree value) {
        if (value == null || Boolean.TRUE.equals(IS_MADE_AT_RUN_TIME.scan(value, null))) {
            boolean hasBody = value instanceof NewClassTree && ((NewClassTree) value).getClassBody() != null;
            add(value == null ? "none" : hasBody ? "a class" : "made at run time");
        } else {
            add(value);
        }
    }

    private static final TreeScanner<Boolean, Void> IS_MADE_AT_RUN_TIME = new TreeScanner<>() {
        @Override
        public Boolean scan(Tree tree, Void nothing) {
            return tree != null && MADE_AT_RUN_TIME.contains(tree.getKind()) ? Boolean.TRUE : super.scan(tree, nothing);
        }

        @Override
        public Boolean reduce(Boolean one, Boolean other) {
            return Boolean.TRUE.equals(one) || Boolean.TRUE.equals(other);
        }
    };

    private void add(Object... parts) {
        for (Object part : parts) {
            text.append(part).append('\n');
        }
    }
}
