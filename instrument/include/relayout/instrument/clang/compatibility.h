// SPDX-License-Identifier: Apache-2.0
// Where Clang 20 to 22 differ in what instrument and rewriter use; all else is the same to both.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#if __has_include(<clang/Driver/CreateInvocationFromArgs.h>)
#include <clang/Driver/CreateInvocationFromArgs.h>
#else // where Clang 20 declares createInvocation
#include <clang/Frontend/Utils.h>
#endif

#include <cstdint>
#include <memory>
#include <utility>

namespace relayout::instrument::compatibility {

inline clang::QualType canonicalTypeOf(const clang::ASTContext &ast, const clang::TagDecl *tag) {
#if CLANG_VERSION_MAJOR >= 22
  return ast.getCanonicalTagType(tag);
#else
  return ast.getCanonicalType(ast.getTagDeclType(tag));
#endif
}

/// The assembly's text, as it is written.
inline std::string textOf(const clang::GCCAsmStmt &assembly) {
#if CLANG_VERSION_MAJOR >= 21
  return assembly.getAsmString();
#else
  return assembly.getAsmString()->getString().str();
#endif
}

/// A name of a type, with what may stand before it.
struct NamedType {
  clang::TypeLoc name;
  clang::SourceLocation keyword; ///< `struct`, or invalid
  bool isQualified = false;      ///< the name of a typedef, using-declaration or template has `::`
  clang::SourceLocation qualifier = {}; ///< first token of `Grid::` before a struct's name
};

/// Up to Clang 21 keyword and qualifier are a node around the name, from 22 on parts of it.
inline NamedType namedType(clang::TypeLoc type) {
#if CLANG_VERSION_MAJOR >= 22
  NamedType named{type, {}, false, {}};
  if (const auto tag = type.getAs<clang::TagTypeLoc>()) {
    named.keyword = tag.getElaboratedKeywordLoc();
    named.qualifier = tag.getQualifierLoc().getBeginLoc();
  } else if (const auto alias = type.getAs<clang::TypedefTypeLoc>()) {
    named.isQualified = alias.getQualifierLoc().hasQualifier();
    named.keyword = alias.getElaboratedKeywordLoc();
    named.qualifier = alias.getQualifierLoc().getBeginLoc();
  } else if (const auto shadow = type.getAs<clang::UsingTypeLoc>()) {
    named.isQualified = shadow.getQualifierLoc().hasQualifier();
    named.keyword = shadow.getElaboratedKeywordLoc();
    named.qualifier = shadow.getQualifierLoc().getBeginLoc();
  } else if (const auto instance = type.getAs<clang::TemplateSpecializationTypeLoc>())
    named = {
        type, instance.getElaboratedKeywordLoc(), instance.getQualifierLoc().hasQualifier(), {}};
  return named;
#else
  if (const auto around = type.getAs<clang::ElaboratedTypeLoc>())
    return {around.getNamedTypeLoc(), around.getElaboratedKeywordLoc(),
            around.getQualifierLoc().hasQualifier(), around.getQualifierLoc().getBeginLoc()};
  return {type, {}, false, {}};
#endif
}

/// The class in front of a name; null: it is a namespace.
inline clang::TypeLoc typeOf(clang::NestedNameSpecifierLoc qualifier) {
#if CLANG_VERSION_MAJOR >= 22
  return qualifier.getAsTypeLoc();
#else
  return qualifier.getTypeLoc();
#endif
}

inline const clang::NamedDecl *declarationOf(clang::TypedefTypeLoc alias) {
#if CLANG_VERSION_MAJOR >= 22
  return alias.getDecl();
#else
  return alias.getTypedefNameDecl();
#endif
}

inline const clang::NamedDecl *declarationOf(clang::UsingTypeLoc shadow) {
#if CLANG_VERSION_MAJOR >= 22
  return shadow.getDecl();
#else
  return shadow.getFoundDecl();
#endif
}

/// A visitor that is told when it enters and leaves a type; from Clang 22 on the traversal of one
/// can leave out the qualifier.
class TypeScopeVisitor : public clang::DynamicRecursiveASTVisitor {
public:
#if CLANG_VERSION_MAJOR >= 22
  bool TraverseTypeLoc(clang::TypeLoc type, bool traverseQualifier = true) override {
    enterType();
    const bool done = clang::DynamicRecursiveASTVisitor::TraverseTypeLoc(type, traverseQualifier);
#else
  bool TraverseTypeLoc(clang::TypeLoc type) override {
    enterType();
    const bool done = clang::DynamicRecursiveASTVisitor::TraverseTypeLoc(type);
#endif
    leaveType();
    return done;
  }

private:
  virtual void enterType() = 0;
  virtual void leaveType() = 0;
};

/// Diagnostics for the driver, which go to `consumer`.
inline auto driverDiagnostics(llvm::vfs::FileSystem &files, clang::DiagnosticOptions &options,
                              clang::DiagnosticConsumer &consumer) {
#if CLANG_VERSION_MAJOR >= 21
  return clang::CompilerInstance::createDiagnostics(files, options, &consumer,
                                                    /*ShouldOwnClient=*/false);
#else
  return clang::CompilerInstance::createDiagnostics(files, new clang::DiagnosticOptions(options),
                                                    &consumer, /*ShouldOwnClient=*/false);
#endif
}

/// A compiler that reads `files`, up to its source manager.
inline std::unique_ptr<clang::CompilerInstance>
compilerFor(std::shared_ptr<clang::CompilerInvocation> invocation,
            llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
            clang::DiagnosticConsumer &consumer) {
#if CLANG_VERSION_MAJOR >= 21
  auto compiler = std::make_unique<clang::CompilerInstance>(std::move(invocation));
#else
  auto compiler = std::make_unique<clang::CompilerInstance>();
  compiler->setInvocation(std::move(invocation));
#endif
#if CLANG_VERSION_MAJOR >= 22
  compiler->createVirtualFileSystem(std::move(files), &consumer);
  compiler->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  compiler->createFileManager();
  compiler->createSourceManager();
#else
  compiler->createDiagnostics(*files, &consumer, /*ShouldOwnClient=*/false);
  compiler->createFileManager(std::move(files));
  compiler->createSourceManager(compiler->getFileManager());
#endif
  return compiler;
}

} // namespace relayout::instrument::compatibility
